// Expects: simt has no clock64: simt does not time kernels
#include <cuda_runtime.h>
__global__ void time_kernel(long long* out) { *out = clock64(); }
