#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "saxpy.h"

namespace waitless {
namespace {

constexpr int kBlock = 256;

/// One thread an element. Launch: a grid of thread blocks of kBlock threads that covers n elements.
__global__ void saxpy_kernel(float a, const float* __restrict__ x, float* __restrict__ y, int n) {
  // EXERCISE(C0.1): which element is this thread's? Is there one? Update it.
  // SOLUTION_BEGIN(C0.1)
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
  // SOLUTION_END(C0.1)
}

}  // namespace

void saxpy(float a, const float* x, float* y, int n, cudaStream_t stream) {
  // EXERCISE(C0.1): launch just enough thread blocks of kBlock threads for n elements; none if n is 0.
  // SOLUTION_BEGIN(C0.1)
  if (n == 0) return;
  const unsigned n_blocks = (n + kBlock - 1) / kBlock;
  launch(saxpy_kernel, {n_blocks, kBlock, 0, stream}, a, x, y, n);
  // SOLUTION_END(C0.1)
}

}  // namespace waitless
