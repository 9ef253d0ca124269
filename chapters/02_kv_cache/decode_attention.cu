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
  not_implemented("C2.3", cache, group, q, k, v, batch, parts);
}

/// One warp for a row and a query head: brings its parts to one maximum and adds them up.
/// Launch: grid (T, n_heads), thread block kWarp.
__global__ void merge_parts_kernel(const float* __restrict__ parts, int n_parts, int head_dim,
                                   float* __restrict__ out) {
  // EXERCISE(C2.3): maximum over the parts; then sum and outputs, each part rescaled to it; divide at the end.
  not_implemented("C2.3", parts, n_parts, head_dim, out);
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
