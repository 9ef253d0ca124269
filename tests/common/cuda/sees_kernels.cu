#include "common/cuda/launch.h"
#include "common/model/sees.cuh"
#include "tests/common/cuda/sees_kernels.h"

namespace waitless {
namespace {

/// One thread for each answer. Launch: grid T, thread block T.
__global__ void ask_sees_kernel(BatchView batch, int* answers) {
  const int t = blockIdx.x, s = threadIdx.x;
  answers[t * batch.n_rows + s] = sees(batch, t, s);
}

/// One thread for each answer. Launch: grid T, thread block n.
__global__ void ask_sees_cached_kernel(BatchView batch, int sequence, int* answers) {
  const int t = blockIdx.x, position = threadIdx.x, n = blockDim.x;
  answers[t * n + position] = sees_cached(batch, t, sequence, position);
}

}  // namespace

void ask_sees(const BatchView& batch, int* answers) {
  launch(ask_sees_kernel, {unsigned(batch.n_rows), unsigned(batch.n_rows)}, batch, answers);
}

void ask_sees_cached(const BatchView& batch, int sequence, int n, int* answers) {
  launch(ask_sees_cached_kernel, {unsigned(batch.n_rows), unsigned(n)}, batch, sequence, answers);
}

}  // namespace waitless
