#pragma once

#include "common/cuda/sees.cuh"
#include "device_kv_view.h"

namespace waitless {

/// Whether row t of the batch may see what a slot holds. A slot that a row of this batch went to names that row.
inline __device__ bool sees_slot(const DeviceKvView& cache, const BatchView& batch, int t, int slot) {
  if (cache.sequence[slot] != batch.sequence[t]) return false;
  const int row = cache.batch_row[slot];
  if (row < batch.n_rows && batch.slot[row] == slot) return sees(batch, t, row);
  return cache.position[slot] <= batch.horizon[t];
}

/// The keys that a batch may see: the slots of the cache, then the rows of the batch that have none.
inline __device__ bool sees_key(const DeviceKvView& cache, const BatchView& batch, int t, int key) {
  if (key < cache.end_slot) return sees_slot(cache, batch, t, key);
  const int row = key - cache.end_slot;
  return batch.slot[row] == Batch::kNotStored && sees(batch, t, row);
}

/// Whether there is anything to read: a slot that is in use, or a row of the batch that has none.
inline __device__ bool is_key_in_use(const DeviceKvView& cache, const BatchView& batch, int key) {
  if (key < cache.end_slot) return cache.sequence[key] != DeviceKvView::kFree;
  const int row = key - cache.end_slot;
  return row < batch.n_rows && batch.slot[row] == Batch::kNotStored;
}

/// Where the numbers of such a key (or value) of one head begin: in the cache, or in the rows [T, n_kv_heads * D].
inline __device__ const float* numbers_of_key(const DeviceKvView& cache, const float* cached, const float* rows,
                                              int kv_head, int key) {
  const std::size_t D = cache.head_dim;
  if (key < cache.end_slot) return cached + (std::size_t(kv_head) * cache.capacity + key) * D;
  return rows + (std::size_t(key - cache.end_slot) * cache.n_kv_heads + kv_head) * D;
}

/// exp(from - to), and 0 where nothing has been seen yet.
inline __device__ float rescale(float from, float to) { return from == -INFINITY ? 0.0f : expf(from - to); }

}  // namespace waitless
