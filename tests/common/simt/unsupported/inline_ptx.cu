// Expects: simt runs no PTX
#include <cuda_runtime.h>
__global__ void lane_kernel(unsigned* out) { asm volatile("mov.u32 %0, %%laneid;" : "=r"(out[threadIdx.x])); }
