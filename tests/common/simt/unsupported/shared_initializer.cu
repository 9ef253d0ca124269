// Expects: constant initializer|constant expression
#include <cuda_runtime.h>
struct Counter {
  int value;
  __device__ Counter() : value(0) {}
};
__global__ void count_kernel(int* out) {
  __shared__ Counter counter;
  out[threadIdx.x] = counter.value;
}
