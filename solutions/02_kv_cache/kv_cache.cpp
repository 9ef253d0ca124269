#include "kv_cache.h"

#include <stdexcept>
#include <string>

#include "common/base/not_implemented.h"
#include "common/model/model.h"

namespace waitless {

KvCache::KvCache(const Config& config, int n_slots) : KvCache(config, n_slots, all_layers(config)) {}

KvCache::KvCache(const Config& config, int n_slots, const std::vector<int>& layers)
    : slots(n_slots), n_kv_heads_(config.n_kv_heads), head_dim_(config.head_dim), place_of_layer_(config.n_layers, -1) {
  for (std::size_t i = 0; i < layers.size(); ++i) place_of_layer_.at(layers[i]) = int(i);
  keys_ = values_ = Matrix::Zero(Index(layers.size()) * n_kv_heads_ * n_slots, head_dim_);
}

Index KvCache::first_row(int layer, int kv_head) const {
  // EXERCISE(2.4): check layer and head; then multiply out the layout that the header describes.
  // SOLUTION_BEGIN(2.4)
  if (layer < 0 || layer >= int(place_of_layer_.size()) || place_of_layer_[layer] < 0) {
    throw std::invalid_argument("kv cache: layer " + std::to_string(layer) + " is not stored");
  }
  if (kv_head < 0 || kv_head >= n_kv_heads_) {
    throw std::invalid_argument("kv cache: head " + std::to_string(kv_head) + " of " + std::to_string(n_kv_heads_));
  }
  return (Index(place_of_layer_[layer]) * n_kv_heads_ + kv_head) * slots.n_slots();
  // SOLUTION_END(2.4)
}

ConstMatrixMap KvCache::keys(int layer, int kv_head) const {
  return {keys_.data() + first_row(layer, kv_head) * head_dim_, slots.n_slots(), head_dim_};
}

ConstMatrixMap KvCache::values(int layer, int kv_head) const {
  return {values_.data() + first_row(layer, kv_head) * head_dim_, slots.n_slots(), head_dim_};
}

void KvCache::append(int layer, const ConstMatrixRef& k, const ConstMatrixRef& v) {
  // EXERCISE(2.4): check that a step is open, and the shapes; then copy each row that has a slot, head by head.
  // SOLUTION_BEGIN(2.4)
  check_argument(slots.is_open(), "kv cache: no step is under way");
  const auto slot = slots.slots();
  const Index T = Index(slot.size()), D = head_dim_;
  check_shape("kv cache: k", k, T, n_kv_heads_ * D);
  check_shape("kv cache: v", v, T, n_kv_heads_ * D);
  for (int head = 0; head < n_kv_heads_; ++head) {
    const Index first = first_row(layer, head);
    for (Index t = 0; t < T; ++t) {
      if (slot[t] == SlotTable::kNoSlot) continue;
      keys_.row(first + slot[t]) = k.row(t).segment(head * D, D);
      values_.row(first + slot[t]) = v.row(t).segment(head * D, D);
    }
  }
  // SOLUTION_END(2.4)
}

}  // namespace waitless
