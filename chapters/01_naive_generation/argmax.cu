#include <stdexcept>

#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "kernels_cuda.h"

namespace waitless {
namespace {

constexpr int kThreads = 256;  // a power of two: the reduction halves it

/// One thread block for each row; thread i looks at columns i, i + kThreads, ... Launch: grid R, thread block kThreads.
__global__ void argmax_kernel(ConstDeviceMatrix x, int* __restrict__ column) {
  // EXERCISE(C1.7): the best of your own columns; then halve the candidates in shared memory until one is left. Of
  // equal values the lower column wins, and a NaN never does.
  not_implemented("C1.7");
}

}  // namespace

void argmax_cuda(ConstDeviceMatrix x, int* column, cudaStream_t stream) {
  if (x.cols == 0) throw std::invalid_argument("argmax: the rows are empty");
  if (x.rows == 0) return;
  launch(argmax_kernel, {unsigned(x.rows), kThreads, 0, stream}, x, column);
}

}  // namespace waitless
