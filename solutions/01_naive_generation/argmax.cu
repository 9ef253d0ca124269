#include <stdexcept>

#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "kernels_cuda.h"

namespace waitless {
namespace {

constexpr int kThreads = 256;  // a power of two: the reduction halves it
// SOLUTION_BEGIN(C1.7)
constexpr int kNone = -1;  // no column yet that holds a number
// SOLUTION_END(C1.7)

/// One thread block for each row; thread i looks at columns i, i + kThreads, ... Launch: grid R, thread block kThreads.
__global__ void argmax_kernel(ConstDeviceMatrix x, int* __restrict__ column) {
  // EXERCISE(C1.7): the best of your own columns; then halve the candidates in shared memory until one is left. Of
  // equal values the lower column wins, and a NaN never does.
  // SOLUTION_BEGIN(C1.7)
  __shared__ float best_value[kThreads];
  __shared__ int best_column[kThreads];
  const std::size_t row_start = std::size_t(blockIdx.x) * x.cols;
  const int me = threadIdx.x;
  float value = 0.0f;
  int best = kNone;
  for (int c = me; c < x.cols; c += kThreads) {
    const float candidate = x.data[row_start + c];
    if (best == kNone ? !isnan(candidate) : candidate > value) {
      value = candidate;
      best = c;
    }
  }
  best_value[me] = value;
  best_column[me] = best;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (me >= half || best_column[me + half] == kNone) continue;
    const float other = best_value[me + half];
    const bool is_lower_column = best_column[me + half] < best_column[me];
    if (best_column[me] == kNone || other > best_value[me] || (other == best_value[me] && is_lower_column)) {
      best_value[me] = other;
      best_column[me] = best_column[me + half];
    }
  }
  if (me == 0) column[blockIdx.x] = best_column[0] == kNone ? 0 : best_column[0];
  // SOLUTION_END(C1.7)
}

}  // namespace

void argmax_cuda(ConstDeviceMatrix x, int* column, cudaStream_t stream) {
  if (x.cols == 0) throw std::invalid_argument("argmax: the rows are empty");
  if (x.rows == 0) return;
  launch(argmax_kernel, {unsigned(x.rows), kThreads, 0, stream}, x, column);
}

}  // namespace waitless
