#error "simt has no __half: use half_t of common/cuda/half.h"
