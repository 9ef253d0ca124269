#pragma once

#include <cstdint>
#include <vector>

#include "common/model/config.h"
#include "common/tensor/matrix.h"
#include "slot_table.h"

namespace waitless {

/// The keys and values of tokens that went through the model, so that later tokens need not compute them again: a table
/// of slots, and for each slot a key and a value in every layer that attends.
///
/// Layout: [layer][kv head][slot][head_dim], keys and values apart. So what one query head reads of a span of slots is
/// one contiguous piece of memory, in the order in which it is read.
class KvCache {
 public:
  /// Room for n_slots tokens in these layers (a hybrid has layers that do not attend, a pipeline stage only some); in
  /// all of them, if no list is given.
  /// @throws std::invalid_argument unless n_slots >= 1
  KvCache(const Config& config, int n_slots, const std::vector<int>& layers);
  KvCache(const Config& config, int n_slots);

  SlotTable slots;  // which slot holds which token

  /// What is allocated for keys and values: n_slots * kv_bytes_per_token(shape, 32) if all layers are stored.
  std::int64_t bytes() const { return std::int64_t(keys_.size() + values_.size()) * std::int64_t(sizeof(float)); }

  /// Copies the rows of the step under way to their slots (slots.slots()), in one layer. Rows without a slot are left
  /// out. Layers come in any order, and as often as you like. Nothing is allocated.
  /// @param k, v [T, n_kv_heads * head_dim], T = slots.slots().size(); head h is columns h * head_dim and on
  /// @throws std::invalid_argument if no step is under way; if k or v has another shape, naming both shapes as
  /// check_shape() does; naming the
  ///         layer if it is not stored
  void append(int layer, const ConstMatrixRef& k, const ConstMatrixRef& v);

  /// All slots of one head, [n_slots, head_dim]; free ones hold whatever was there.
  /// @throws std::invalid_argument naming the layer if it is not stored, or the head if there is none
  ConstMatrixMap keys(int layer, int kv_head) const;
  ConstMatrixMap values(int layer, int kv_head) const;

 private:
  /// The row of slot 0 in keys_ and values_. @throws as keys()
  Index first_row(int layer, int kv_head) const;

  int n_kv_heads_, head_dim_;
  std::vector<int> place_of_layer_;  // [n_layers] which of the stored layers it is, from 0; -1: not stored
  Matrix keys_, values_;             // [stored layers * n_kv_heads * n_slots, head_dim]
};

}  // namespace waitless
