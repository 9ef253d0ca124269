// Expects: simt has no __reduce_add_sync: use __shfl_xor_sync
#include <cuda_runtime.h>
__global__ void sum_kernel(int* out) { out[threadIdx.x] = __reduce_add_sync(0xffffffffu, int(threadIdx.x)); }
