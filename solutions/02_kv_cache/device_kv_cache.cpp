#include "device_kv_cache.h"

#include <stdexcept>
#include <string>

#include "common/model/model.h"

namespace waitless {

DeviceKvCache::DeviceKvCache(const Config& config, int n_slots) : DeviceKvCache(config, n_slots, all_layers(config)) {}

DeviceKvCache::DeviceKvCache(const Config& config, int n_slots, const std::vector<int>& layers)
    : slots(n_slots), n_kv_heads_(config.n_kv_heads), head_dim_(config.head_dim), place_of_layer_(config.n_layers, -1) {
  for (std::size_t i = 0; i < layers.size(); ++i) place_of_layer_.at(layers[i]) = int(i);
  const std::size_t n = layers.size() * n_kv_heads_ * n_slots * head_dim_;
  keys_ = DeviceBuffer<float>(n);
  values_ = DeviceBuffer<float>(n);
}

DeviceKvView DeviceKvCache::view(int layer) {
  if (layer < 0 || layer >= int(place_of_layer_.size()) || place_of_layer_[layer] < 0) {
    throw std::invalid_argument("kv cache: layer " + std::to_string(layer) + " is not stored");
  }
  const std::size_t first = std::size_t(place_of_layer_[layer]) * n_kv_heads_ * slots.n_slots() * head_dim_;
  return {.keys = keys_.data() + first,
          .values = values_.data() + first,
          .n_kv_heads = n_kv_heads_,
          .n_slots = slots.n_slots(),
          .head_dim = head_dim_};
}

}  // namespace waitless
