#error "simt has no __nv_bfloat16: use bf16_t of common/cuda/half.h"
