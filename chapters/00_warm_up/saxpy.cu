#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "saxpy.h"

namespace waitless {
namespace {

constexpr int kBlock = 256;

/// One thread an element. Launch: a grid of thread blocks of kBlock threads that covers n elements.
__global__ void saxpy_kernel(float a, const float* __restrict__ x, float* __restrict__ y, int n) {
  // EXERCISE(C0.1): which element is this thread's? Is there one? Update it.
  not_implemented("C0.1");
}

}  // namespace

void saxpy(float a, const float* x, float* y, int n, cudaStream_t stream) {
  // EXERCISE(C0.1): launch just enough thread blocks of kBlock threads for n elements; none if n is 0.
  not_implemented("C0.1");
}

}  // namespace waitless
