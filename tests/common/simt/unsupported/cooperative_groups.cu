// Expects: simt has no cooperative groups: use __syncthreads
#include <cooperative_groups.h>
