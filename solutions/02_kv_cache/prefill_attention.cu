#include <stdexcept>

#include "cached_operators_cuda.h"
#include "common/cuda/declare_flops.h"
#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "common/cuda/shared_memory.h"
#include "sees_slot.cuh"

namespace waitless {
namespace {

constexpr int kWarp = 32;
constexpr int kRows = 8;       // queries of a thread block, one warp each
constexpr int kMaxChunks = 4;  // of 32 numbers of a head

/// A thread block takes kRows rows of one query head. 32 keys at a time lie in shared memory; lane l of a warp scores
/// key l and later owns the outputs l, l + 32, ... Rows of shared memory are padded by one, so that 32 lanes that read
/// 32 of them meet 32 banks. Launch: grid (ceil(T / kRows), n_heads), thread block kRows warps.
__global__ void prefill_attention_kernel(DeviceKvView cache, int queries_per_kv_head, ConstDeviceMatrix q,
                                         const float* __restrict__ k, const float* __restrict__ v, BatchView batch,
                                         float* __restrict__ out) {
  // EXERCISE(C2.2): for each 32 keys: load keys and values; each lane scores its key; new maximum of the warp; weights;
  // carry sum and outputs over to it; add the values. Rows past the end take part in the barriers.
  // SOLUTION_BEGIN(C2.2)
  const int D = cache.head_dim, pitch = D + 1;
  float* queries = dynamic_shared_memory<float>();  // [kRows, D]
  float* keys = queries + kRows * D;                // [kWarp, pitch]
  float* values = keys + kWarp * pitch;             // [kWarp, pitch]
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp, n_threads = kRows * kWarp;
  const int t = blockIdx.x * kRows + warp, head = blockIdx.y, kv_head = head / queries_per_kv_head;
  const int n_keys = cache.end_slot + batch.n_rows;
  const bool is_row = t < batch.n_rows;

  for (int i = threadIdx.x; i < kRows * D; i += n_threads) {
    const int row = blockIdx.x * kRows + i / D;
    queries[i] = row < batch.n_rows ? q.data[std::size_t(row) * q.cols + head * D + i % D] : 0.0f;
  }
  float m = -INFINITY, l = 0.0f, o[kMaxChunks] = {};
  for (int first = 0; first < n_keys; first += kWarp) {
    const bool is_visible = is_row && first + lane < n_keys && sees_key(cache, batch, t, first + lane);
    if (!__syncthreads_or(is_visible)) continue;  // also: everyone is done with the tile before
    for (int i = threadIdx.x; i < kWarp * D; i += n_threads) {
      const int key = first + i / D;
      const bool is_in_use = is_key_in_use(cache, batch, key);
      keys[i / D * pitch + i % D] = is_in_use ? numbers_of_key(cache, cache.keys, k, kv_head, key)[i % D] : 0.0f;
      values[i / D * pitch + i % D] = is_in_use ? numbers_of_key(cache, cache.values, v, kv_head, key)[i % D] : 0.0f;
    }
    __syncthreads();

    float score = -INFINITY;
    if (is_visible) {
      score = 0.0f;
      for (int d = 0; d < D; ++d) score += queries[warp * D + d] * keys[lane * pitch + d];
      score /= sqrtf(float(D));
    }
    float m_new = fmaxf(m, score);
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
      m_new = fmaxf(m_new, __shfl_xor_sync(0xffffffffu, m_new, distance));
    }
    const float weight = rescale(score, m_new), carried = rescale(m, m_new);
    float sum = weight;
    for (int distance = kWarp / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    l = l * carried + sum;
    for (float& x : o) x *= carried;
    for (int s = 0; s < kWarp; ++s) {
      const float weight_of_key = __shfl_sync(0xffffffffu, weight, s);
      if (weight_of_key == 0.0f) continue;  // what a hidden slot holds must not matter
      for (int c = 0; c * kWarp + lane < D; ++c) o[c] += weight_of_key * values[s * pitch + c * kWarp + lane];
    }
    m = m_new;
  }
  if (!is_row) return;
  for (int c = 0; c * kWarp + lane < D; ++c) out[std::size_t(t) * q.cols + head * D + c * kWarp + lane] = o[c] / l;
  // SOLUTION_END(C2.2)
}

}  // namespace

void prefill_attention_cuda(const Config& config, const DeviceKvView& cache, ConstDeviceMatrix q, ConstDeviceMatrix k,
                            ConstDeviceMatrix v, const BatchView& batch, DeviceMatrix out, cudaStream_t stream) {
  check_device_shape("prefill attention: q", q, batch.n_rows, config.q_dim());
  check_device_shape("prefill attention: k", k, batch.n_rows, config.kv_dim());
  check_device_shape("prefill attention: v", v, batch.n_rows, config.kv_dim());
  check_device_shape("prefill attention: out", out, batch.n_rows, config.q_dim());
  if (config.head_dim > kMaxChunks * kWarp) throw std::invalid_argument("prefill attention: head_dim is above 128");
  const int D = config.head_dim;
  const std::size_t shared_bytes = (kRows * D + 2 * kWarp * (D + 1)) * sizeof(float);
  declare_flops(attention_flops(config, cache, batch.n_rows));
  launch(prefill_attention_kernel,
         {dim3(ceil_div(batch.n_rows, kRows), config.n_heads), kRows * kWarp, shared_bytes, stream}, cache,
         config.n_heads / config.n_kv_heads, q, k.data, v.data, batch, out.data);
}

}  // namespace waitless
