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
  not_implemented("C1.5");
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
