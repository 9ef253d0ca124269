#pragma once

#include <cstdint>
#include <vector>

#include "common/cuda/device_buffer.h"
#include "common/model/config.h"
#include "device_kv_view.h"
#include "slot_table.h"

namespace waitless {

/// KvCache in device memory, with the same layout. Which slot holds which token is the host's business: a rollback
/// costs the device nothing, and a batch that does not fit is refused before anything is queued.
class DeviceKvCache {
 public:
  /// Room for n_slots tokens in these layers; in all of them, if no list is given.
  /// @throws std::invalid_argument unless n_slots >= 1
  /// @throws CudaError if the device has too little memory
  DeviceKvCache(const Config& config, int n_slots, const std::vector<int>& layers);
  DeviceKvCache(const Config& config, int n_slots);

  SlotTable slots;

  /// What is allocated for keys and values.
  std::int64_t bytes() const { return std::int64_t(keys_.size_bytes() + values_.size_bytes()); }

  /// One layer, as kernels see it.
  /// @throws std::invalid_argument naming the layer if it is not stored
  DeviceKvView view(int layer);

 private:
  int n_kv_heads_, head_dim_;
  std::vector<int> place_of_layer_;    // [n_layers] among the layers that are stored; -1: not stored
  DeviceBuffer<float> keys_, values_;  // [layers stored, n_kv_heads, n_slots, head_dim]
};

}  // namespace waitless
