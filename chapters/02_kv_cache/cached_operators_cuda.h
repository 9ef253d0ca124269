#pragma once

#include <cuda_runtime.h>

#include "common/cuda/device_batch.h"
#include "common/cuda/device_buffer.h"
#include "common/cuda/device_matrix.h"
#include "common/model/config.h"
#include "device_kv_view.h"

// The operators of this chapter on the device. Each queues its kernels on `stream` and does not wait. All matrices are
// device memory. All throw std::invalid_argument if the shapes do not hold and CudaError if CUDA refuses the launch.

namespace waitless {

/// Copies the rows that have a slot to their slots, and notes in the cache what these hold. Neighbouring threads take
/// neighbouring numbers of a head: what they read and what they write is contiguous.
/// @param k, v [T, n_kv_heads * D]
void append_cuda(const DeviceKvView& cache, ConstDeviceMatrix k, ConstDeviceMatrix v, const BatchView& batch,
                 cudaStream_t stream = nullptr);

/// What attention of a batch declares as its work: for each query head, a row and a key that it sees, D multiplications
/// and additions for the score and D for the value. The rows of the batch are taken to be the last in the cache, each
/// of them seeing all before it and itself.
inline double attention_flops(const Config& config, const DeviceKvView& cache, int n_rows) {
  const double n_pairs = double(n_rows) * cache.end_slot - 0.5 * n_rows * (n_rows - 1);
  return 4.0 * config.n_heads * config.head_dim * n_pairs;
}

/// Attention of many rows, as cached_attention.h says: eight rows of one head at a time share the keys and values that
/// they read. head_dim is at most 128.
/// @param q, out [T, n_heads * D]   @param k, v [T, n_kv_heads * D], for the rows without a slot
void prefill_attention_cuda(const Config& config, const DeviceKvView& cache, ConstDeviceMatrix q, ConstDeviceMatrix k,
                            ConstDeviceMatrix v, const BatchView& batch, DeviceMatrix out,
                            cudaStream_t stream = nullptr);

/// Memory for the parts that decode_attention_cuda() merges. It only ever grows.
struct DeviceAttentionScratch {
  DeviceBuffer<float> parts;
};

/// The same for few rows. All query heads of a group are served by the warp that reads their keys and values, so each
/// cached byte is read once for a row. The keys of a row are dealt out, 32 at a time, to the warps of n_splits thread
/// blocks; then a second kernel merges their parts. At most 8 query heads to a head of keys, head_dim at most 128.
/// @param n_splits >= 1; 0: as many as the length of the cache suggests
void decode_attention_cuda(const Config& config, const DeviceKvView& cache, ConstDeviceMatrix q, ConstDeviceMatrix k,
                           ConstDeviceMatrix v, const BatchView& batch, DeviceAttentionScratch& scratch,
                           DeviceMatrix out, int n_splits = 0, cudaStream_t stream = nullptr);

}  // namespace waitless
