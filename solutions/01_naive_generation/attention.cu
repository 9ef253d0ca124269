#include <stdexcept>

#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "common/cuda/shared_memory.h"
#include "common/model/sees.cuh"
#include "kernels_cuda.h"

namespace waitless {
namespace {

constexpr int kThreads = 64;

/// One thread block for each row t and head h. It keeps one score for each row of the batch in shared memory.
/// Launch: grid (T, n_heads), thread block kThreads, shared memory T floats.
__global__ void attention_naive_kernel(int head_dim, int q_heads_per_kv_head, ConstDeviceMatrix q, ConstDeviceMatrix k,
                                       const float* __restrict__ v, BatchView batch, float* __restrict__ out) {
  // EXERCISE(C1.5): scores of all rows into dynamic_shared_memory<float>(), -infinity where sees(batch, t, s) is false;
  // their maximum; exp and sum; weighted sum of the values, whose rows are as wide as those of k. Put a barrier between
  // writing shared memory and reading what other threads wrote. Leave the values of hidden rows out: 0 * NaN is NaN.
  // SOLUTION_BEGIN(C1.5)
  __shared__ float partial[kThreads];
  float* scores = dynamic_shared_memory<float>();  // [T]
  const int t = blockIdx.x, h = blockIdx.y, me = threadIdx.x;
  const std::size_t q_start = std::size_t(t) * q.cols + h * head_dim;
  const int kv_column = h / q_heads_per_kv_head * head_dim;
  const float scale = 1.0f / sqrtf(float(head_dim));

  // Score the rows, each thread every kThreads-th
  float max = -INFINITY;  // of the scores that this thread computed
  for (int s = me; s < batch.n_rows; s += kThreads) {
    float score = -INFINITY;
    if (sees(batch, t, s)) {
      const std::size_t k_start = std::size_t(s) * k.cols + kv_column;
      float dot = 0.0f;
      for (int d = 0; d < head_dim; ++d) dot += q.data[q_start + d] * k.data[k_start + d];
      score = dot * scale;
    }
    scores[s] = score;
    max = fmaxf(max, score);
  }

  // Find the largest score of all
  partial[me] = max;
  __syncthreads();
  for (int i = 0; i < kThreads; ++i) max = fmaxf(max, partial[i]);
  __syncthreads();  // everyone has read the maxima before the sums take their place

  // Turn scores into weights, and sum them
  float sum = 0.0f;
  for (int s = me; s < batch.n_rows; s += kThreads) {
    scores[s] = expf(scores[s] - max);  // 0 for a hidden row
    sum += scores[s];
  }
  partial[me] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int i = 0; i < kThreads; ++i) sum += partial[i];

  // Mix the values, each thread every kThreads-th column
  for (int d = me; d < head_dim; d += kThreads) {
    float o = 0.0f;
    for (int s = 0; s < batch.n_rows; ++s) {
      if (scores[s] != 0.0f) o += scores[s] * v[std::size_t(s) * k.cols + kv_column + d];
    }
    out[q_start + d] = o / sum;
  }
  // SOLUTION_END(C1.5)
}

}  // namespace

void attention_cuda(const Config& config, ConstDeviceMatrix q, ConstDeviceMatrix k, ConstDeviceMatrix v,
                    const BatchView& batch, DeviceMatrix out, cudaStream_t stream) {
  check_device_shape("attention: q", q, batch.n_rows, config.q_dim());
  check_device_shape("attention: k", k, batch.n_rows, config.kv_dim());
  check_device_shape("attention: v", v, batch.n_rows, config.kv_dim());
  check_device_shape("attention: out", out, batch.n_rows, config.q_dim());
  if (batch.n_rows == 0) return;
  const dim3 grid(batch.n_rows, config.n_heads);
  const std::size_t shared_bytes = batch.n_rows * sizeof(float);
  launch(attention_naive_kernel, {grid, kThreads, shared_bytes, stream}, config.head_dim,
         config.n_heads / config.n_kv_heads, q, k, v.data, batch, out.data);
}

}  // namespace waitless
