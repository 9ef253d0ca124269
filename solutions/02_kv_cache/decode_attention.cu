#include <algorithm>
#include <stdexcept>

#include "cached_operators_cuda.h"
#include "common/cuda/declare_flops.h"
#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "sees_slot.cuh"

namespace waitless {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = 4;  // of a thread block; each makes a part of its own
constexpr int kMaxSplits = 16;
constexpr int kKeysPerSplit = 256;
constexpr int kMaxGroup = 8;   // query heads that share a head of keys and values
constexpr int kMaxChunks = 4;  // of 32 numbers of a head

/// One warp for a row, a key/value head and every n-th 32 keys, n = n_splits * kWarps. Lane l holds numbers l, l + 32,
/// ... of the queries and outputs of the whole group, so a key is read once, by neighbouring lanes from neighbouring
/// addresses. Launch: grid (T, n_kv_heads, n_splits), thread block kWarps warps.
/// @param parts [T, n_heads, n, D + 2]: output, maximum and sum of each part
__global__ void decode_attention_kernel(DeviceKvView cache, int group, ConstDeviceMatrix q, const float* __restrict__ k,
                                        const float* __restrict__ v, BatchView batch, float* __restrict__ parts) {
  // EXERCISE(C2.3): load your numbers of the group's queries. For each of your tiles: lane l asks whether key l is
  // visible, and a ballot tells all lanes. For each visible key: products of your numbers, summed over the warp by
  // shuffles; new maximum; carry sum and output over; add the value. Write your part, even if you saw nothing.
  // SOLUTION_BEGIN(C2.3)
  const int D = cache.head_dim, lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const int t = blockIdx.x, kv_head = blockIdx.y, part = blockIdx.z * kWarps + warp, n_parts = gridDim.z * kWarps;
  const int n_keys = cache.end_slot + batch.n_rows;
  const float scale = 1.0f / sqrtf(float(D));
  float query[kMaxGroup][kMaxChunks] = {}, o[kMaxGroup][kMaxChunks] = {}, m[kMaxGroup], l[kMaxGroup] = {};
  for (int g = 0; g < group; ++g) {
    const std::size_t start = std::size_t(t) * q.cols + (kv_head * group + g) * D;
    for (int c = 0; c * kWarp + lane < D; ++c) query[g][c] = q.data[start + c * kWarp + lane] * scale;
    m[g] = -INFINITY;
  }

  for (int first = part * kWarp; first < n_keys; first += n_parts * kWarp) {
    const bool is_visible = first + lane < n_keys && sees_key(cache, batch, t, first + lane);
    const unsigned visible = __ballot_sync(0xffffffffu, is_visible);  // bit i: key first + i
    for (int i = 0; i < kWarp; ++i) {
      if ((visible >> i & 1) == 0) continue;
      const int key = first + i;
      const float* key_numbers = numbers_of_key(cache, cache.keys, k, kv_head, key);
      const float* value_numbers = numbers_of_key(cache, cache.values, v, kv_head, key);
      float its_key[kMaxChunks] = {}, its_value[kMaxChunks] = {};
      for (int c = 0; c * kWarp + lane < D; ++c) {
        its_key[c] = key_numbers[c * kWarp + lane];
        its_value[c] = value_numbers[c * kWarp + lane];
      }
      for (int g = 0; g < group; ++g) {
        float score = 0.0f;
        for (int c = 0; c < kMaxChunks; ++c) score += query[g][c] * its_key[c];
        for (int distance = kWarp / 2; distance > 0; distance /= 2) {
          score += __shfl_xor_sync(0xffffffffu, score, distance);
        }
        const float m_new = fmaxf(m[g], score), carried = rescale(m[g], m_new), weight = expf(score - m_new);
        l[g] = l[g] * carried + weight;
        for (int c = 0; c < kMaxChunks; ++c) o[g][c] = o[g][c] * carried + weight * its_value[c];
        m[g] = m_new;
      }
    }
  }

  for (int g = 0; g < group; ++g) {
    const std::size_t head = std::size_t(t) * gridDim.y * group + kv_head * group + g;
    float* mine = parts + (head * n_parts + part) * (D + 2);
    for (int c = 0; c * kWarp + lane < D; ++c) mine[c * kWarp + lane] = o[g][c];
    if (lane == 0) {
      mine[D] = m[g];
      mine[D + 1] = l[g];
    }
  }
  // SOLUTION_END(C2.3)
}

/// One warp for a row and a query head: brings its parts to one maximum and adds them up.
/// Launch: grid (T, n_heads), thread block kWarp.
__global__ void merge_parts_kernel(const float* __restrict__ parts, int n_parts, int head_dim,
                                   float* __restrict__ out) {
  // EXERCISE(C2.3): maximum over the parts; then sum and outputs, each part rescaled to it; divide at the end.
  // SOLUTION_BEGIN(C2.3)
  const std::size_t head = std::size_t(blockIdx.x) * gridDim.y + blockIdx.y;
  const float* mine = parts + head * n_parts * (head_dim + 2);
  float m = -INFINITY, l = 0.0f;
  for (int p = 0; p < n_parts; ++p) m = fmaxf(m, mine[p * (head_dim + 2) + head_dim]);
  for (int p = 0; p < n_parts; ++p) {
    l += rescale(mine[p * (head_dim + 2) + head_dim], m) * mine[p * (head_dim + 2) + head_dim + 1];
  }
  for (int d = threadIdx.x; d < head_dim; d += kWarp) {
    float sum = 0.0f;
    for (int p = 0; p < n_parts; ++p) {
      sum += rescale(mine[p * (head_dim + 2) + head_dim], m) * mine[p * (head_dim + 2) + d];
    }
    out[head * head_dim + d] = sum / l;
  }
  // SOLUTION_END(C2.3)
}

}  // namespace

void decode_attention_cuda(const Config& config, const DeviceKvView& cache, ConstDeviceMatrix q, ConstDeviceMatrix k,
                           ConstDeviceMatrix v, const BatchView& batch, DeviceAttentionScratch& scratch,
                           DeviceMatrix out, int n_splits, cudaStream_t stream) {
  check_device_shape("decode attention: q", q, batch.n_rows, config.q_dim());
  check_device_shape("decode attention: k", k, batch.n_rows, config.kv_dim());
  check_device_shape("decode attention: v", v, batch.n_rows, config.kv_dim());
  check_device_shape("decode attention: out", out, batch.n_rows, config.q_dim());
  const int D = config.head_dim, group = config.n_heads / config.n_kv_heads, T = batch.n_rows;
  if (D > kMaxChunks * kWarp) throw std::invalid_argument("decode attention: head_dim is above 128");
  if (group > kMaxGroup) throw std::invalid_argument("decode attention: more than 8 query heads share a head of keys");
  if (n_splits < 0) throw std::invalid_argument("decode attention: n_splits is negative");
  if (n_splits == 0) n_splits = std::min<int>(kMaxSplits, std::max<int>(1, ceil_div(cache.end_slot, kKeysPerSplit)));

  const int n_parts = n_splits * kWarps, most_parts = std::max(n_splits, kMaxSplits) * kWarps;
  const std::size_t needed = std::size_t(T) * config.n_heads * most_parts * (D + 2);
  if (scratch.parts.size() < needed) scratch.parts = DeviceBuffer<float>(needed);
  declare_flops(attention_flops(config, cache, T));
  launch(decode_attention_kernel, {dim3(T, config.n_kv_heads, n_splits), kWarps * kWarp, 0, stream}, cache, group, q,
         k.data, v.data, batch, scratch.parts.data());
  declare_flops(2.0 * T * config.n_heads * n_parts * (D + 1));  // sum and outputs of each part, rescaled and added
  launch(merge_parts_kernel, {dim3(T, config.n_heads), kWarp, 0, stream}, scratch.parts.data(), n_parts, D, out.data);
}

}  // namespace waitless
