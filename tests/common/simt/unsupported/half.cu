// Expects: simt has no __half: use half_t of common/cuda/half.h
#include <cuda_fp16.h>
