#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "operators_cuda.h"

namespace waitless {
namespace {

constexpr int kThreads = 256;  // a power of two: the reduction halves it

/// One thread block for each row; thread i looks at columns i, i + kThreads, ... Launch: grid R, thread block kThreads.
__global__ void argmax_kernel(ConstDeviceMatrix x, int* __restrict__ column) {
  // EXERCISE(C1.6): the best of your own columns; then halve the candidates in shared memory until one is left. Of
  // equal values the lower column wins.
  // SOLUTION_BEGIN(C1.6)
  __shared__ float best_value[kThreads];
  __shared__ int best_column[kThreads];
  const std::size_t row_start = std::size_t(blockIdx.x) * x.cols;
  const int me = threadIdx.x;
  float value = -INFINITY;
  int best = me < x.cols ? me : 0;
  for (int c = me; c < x.cols; c += kThreads) {
    if (x.data[row_start + c] > value) {
      value = x.data[row_start + c];
      best = c;
    }
  }
  best_value[me] = value;
  best_column[me] = best;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (me >= half) continue;
    const float other = best_value[me + half];
    if (other > best_value[me] || (other == best_value[me] && best_column[me + half] < best_column[me])) {
      best_value[me] = other;
      best_column[me] = best_column[me + half];
    }
  }
  if (me == 0) column[blockIdx.x] = best_column[0];
  // SOLUTION_END(C1.6)
}

}  // namespace

void argmax_cuda(ConstDeviceMatrix x, int* column, cudaStream_t stream) {
  launch(argmax_kernel, {unsigned(x.rows), kThreads, 0, stream}, x, column);
}

}  // namespace waitless
