// Expects: simt has no cudaMallocManaged: use cudaMalloc and cudaMemcpy
#include <cuda_runtime.h>
int main() {
  float* x;
  return cudaMallocManaged(&x, 4);
}
