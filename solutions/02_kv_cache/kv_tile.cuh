#pragma once

#include "common/cuda/device_matrix.h"
#include "common/model/sees.cuh"
#include "device_attention_plan.h"
#include "device_kv_view.h"

namespace waitless {

/// A tile of the plan. All of it is read, word by word, so that every compiler asks memory for the same.
template <class Tile>
inline __device__ Tile read_tile(const Tile* tile) {
  Tile copy;
  for (std::size_t i = 0; i < sizeof(Tile) / sizeof(int); ++i) {
    reinterpret_cast<int*>(&copy)[i] = reinterpret_cast<const volatile int*>(tile)[i];
  }
  return copy;
}

/// Whether row t of the batch sees key i of a KV tile.
inline __device__ bool sees(const BatchView& batch, int t, const AttentionPlan::KvTile& tile, int i) {
  if (tile.is_seen_whole) return true;
  if (tile.is_cached) return sees_cached(batch, t, tile.sequence, tile.position + i);
  return sees(batch, t, tile.first + i);
}

/// The keys and values of a KV tile, of one head. Key i begins at keys[i * stride], its value at values[i * stride].
struct KvElements {
  const float *keys, *values;
  std::size_t stride;
};

/// Where they lie: in slots of the cache, one behind the other, or in rows of k and v [T, n_kv_heads * D].
inline __device__ KvElements elements_of(const AttentionPlan::KvTile& tile, int kv_head, const DeviceKvView& cache,
                                         ConstDeviceMatrix k, const float* v) {
  const std::size_t D = cache.head_dim;
  if (tile.is_cached) {
    const std::size_t first = (std::size_t(kv_head) * cache.n_slots + tile.first) * D;
    return {cache.keys + first, cache.values + first, D};
  }
  const std::size_t row_length = k.cols, first = tile.first * row_length + kv_head * D;
  return {k.data + first, v + first, row_length};
}

/// The factor that brings what was summed under the maximum `from` to the maximum `to`: exp(from - to), and 0 where
/// nothing has been seen yet.
inline __device__ float rescale(float from, float to) { return from == -INFINITY ? 0.0f : expf(from - to); }

}  // namespace waitless
