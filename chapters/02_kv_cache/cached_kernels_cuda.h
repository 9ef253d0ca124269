#pragma once

#include <cuda_runtime.h>

#include "common/cuda/device_buffer.h"
#include "common/cuda/device_matrix.h"
#include "common/model/batch_view.h"
#include "common/model/config.h"
#include "device_attention_plan.h"
#include "device_kv_view.h"

// The operators of this chapter on the device. Each queues its kernels on `stream` and does not wait. All matrices and
// arrays are device memory. All throw std::invalid_argument if the shapes do not hold and CudaError if CUDA refuses the
// launch.

namespace waitless {

/// Copies the rows that have a slot to their slots. Neighbouring threads take neighbouring elements of a head: what
/// they read and what they write is contiguous.
/// @param slot [T], negative: the row is not stored   @param k, v [T, n_kv_heads * D]
void append_cuda(const DeviceKvView& cache, const int* slot, ConstDeviceMatrix k, ConstDeviceMatrix v,
                 cudaStream_t stream = nullptr);

// The attention of cached_attention.h, over the KV tiles of a plan: those in the cache, and those among the rows of the
// batch itself, which are read from k and v. Each of the two writes the rows of out that it serves. A row that sees
// nothing gets NaN.
// @param plan the tiles of this batch   @param q, out [T, n_heads * D]
// @param k, v [T, n_kv_heads * D], or [0, ..]: the rows bring no keys; D = head_dim, at most 128

/// Prefill attention, with an online softmax: the rows of plan.many. Eight rows of one query head at a time share what
/// they read of keys and values.
void prefill_attention_cuda(const Config& config, const DeviceKvView& cache, const AttentionPlanView& plan,
                            ConstDeviceMatrix q, ConstDeviceMatrix k, ConstDeviceMatrix v, const BatchView& batch,
                            DeviceMatrix out, cudaStream_t stream = nullptr);

/// Memory for the partial outputs of decode attention. It only ever grows.
struct DeviceAttentionScratch {
  DeviceBuffer<float> partials;
};

/// Decode attention, or flash decoding: the rows of plan.few. Keys and values are read once, for all query heads that
/// share them (at most 8). There are few rows and many keys, so the KV tiles of a row are split among warps and thread
/// blocks (split-KV), and a second kernel merges their partial outputs. In how many depends on the row's own length
/// alone.
void decode_attention_cuda(const Config& config, const DeviceKvView& cache, const AttentionPlanView& plan,
                           ConstDeviceMatrix q, ConstDeviceMatrix k, ConstDeviceMatrix v, const BatchView& batch,
                           DeviceAttentionScratch& scratch, DeviceMatrix out, cudaStream_t stream = nullptr);

/// What attention of so many pairs of a row and a key declares as its work, for all query heads: D multiplications and
/// additions for the score, and D for the value. Hidden pairs of a KV tile are counted.
inline double attention_flops(const Config& config, double n_pairs) {
  return 4.0 * config.n_heads * config.head_dim * n_pairs;
}

/// @throws std::invalid_argument unless the matrices of an attention of the batch have these shapes and fit the cache
inline void check_attention_shapes(const Config& config, const DeviceKvView& cache, const BatchView& batch,
                                   ConstDeviceMatrix q, ConstDeviceMatrix k, ConstDeviceMatrix v,
                                   ConstDeviceMatrix out) {
  const int n_new = k.rows == 0 ? 0 : batch.n_rows;
  check_device_shape("attention: q", q, batch.n_rows, config.q_dim());
  check_device_shape("attention: k", k, n_new, cache.n_kv_heads * cache.head_dim);
  check_device_shape("attention: v", v, n_new, cache.n_kv_heads * cache.head_dim);
  check_device_shape("attention: out", out, batch.n_rows, config.q_dim());
}

}  // namespace waitless
