#pragma once

#include <cstdint>

#include "01_naive_generation/forward_cuda.h"
#include "common/cuda/device_buffer.h"
#include "device_kv_view.h"
#include "kv_cache.h"

namespace waitless {

/// A KvCache in device memory, with the same layout and the same rules. The host keeps the books, so that a batch is
/// refused before anything is queued on the device.
class DeviceKvCache {
 public:
  /// @throws std::invalid_argument unless capacity >= 1
  /// @throws CudaError if the device has too little memory
  DeviceKvCache(const Config& config, int capacity);

  int capacity() const { return books_.capacity(); }
  int n_stored(int sequence) const { return books_.n_stored(sequence); }
  std::int64_t bytes() const { return std::int64_t(keys_.size_bytes() + values_.size_bytes()); }

  /// Makes room for the rows of a batch, before the forward pass that stores them.
  /// @throws CacheFull, std::invalid_argument as KvCache::append(); nothing has changed then, here or on the device
  void begin(const Batch& batch);

  /// As in KvCache.
  void truncate(int sequence, int n_positions);
  void forget(int slot);
  void reset();

  /// One layer, as kernels see it.
  /// @throws std::invalid_argument if there is no such layer
  DeviceKvView view(int layer);

 private:
  void upload_books();

  Config config_;
  KvCache books_;  // what the slots hold; its heads have no numbers
  DeviceBuffer<float> keys_, values_;
  DeviceBuffer<int> sequence_, position_, batch_row_;
};

/// The device ops of chapter 01 with another attention: append, then decode attention for fewer than 8 rows and prefill
/// attention for more. Call cache.begin(batch) before each forward pass. The cache must live as long as the ops.
DeviceOps cached_device_ops(const Config& config, DeviceKvCache& cache);

}  // namespace waitless
