#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "common/model/batch.h"
#include "common/model/config.h"
#include "common/tensor/matrix.h"

namespace waitless {

/// There is no room for the rows of a batch. Nothing was stored; free some slots and try again.
class CacheFull : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The keys and values of tokens that went through the model, so that later tokens need not compute them again.
///
/// It has `capacity` slots. A slot holds one token of some sequence: its key and value in every layer. The batch
/// says which slot each row goes to; slots and positions are different things. What a later row may see of all this
/// is the batch's business as well (Batch::sees_cached).
///
/// Layout: [layer][kv head][slot][head_dim], keys and values apart. So what one query head reads is one contiguous
/// piece of memory, in the order in which it is read.
///
/// A forward pass calls append() once for each layer, in order. The pass counts as finished after the last one.
/// truncate(), forget() and reset() drop the rows of a pass that was given up half-way.
class KvCache {
 public:
  static constexpr int kFree = std::numeric_limits<int>::min();  // the sequence of a slot that holds nothing

  /// @throws std::invalid_argument unless capacity >= 1
  KvCache(const Config& config, int capacity);

  int capacity() const { return int(sequence_.size()); }
  int n_layers() const { return n_layers_; }
  int n_used() const { return n_used_; }

  /// One more than the highest slot in use; 0 for an empty cache.
  int end_slot() const { return end_slot_; }

  /// What is allocated for keys and values: capacity() * kv_bytes_per_token(shape, 32).
  std::int64_t bytes() const { return std::int64_t(keys_.size() + values_.size()) * std::int64_t(sizeof(float)); }

  /// What the slot holds: the token's sequence (kFree: nothing) and its position there.
  int sequence(int slot) const { return sequence_[slot]; }
  int position(int slot) const { return position_[slot]; }

  /// The row of the latest batch that the slot holds, or -1 if it holds something older.
  int batch_row(int slot) const { return batch_row_[slot]; }

  /// How many tokens of the sequence are stored.
  int n_stored(int sequence) const;

  /// Stores the keys and values of one layer for every row of the batch that has a slot. With the first layer a new
  /// pass begins: all slots are checked before anything is written. Nothing is allocated, once a batch of as many rows
  /// has been stored before.
  /// @param k, v [T, n_kv_heads * head_dim], T = batch.n_rows()
  /// @throws CacheFull if a slot lies beyond the capacity, naming the row, its slot, the capacity and n_used()
  /// @throws std::invalid_argument
  ///         if k or v has another shape, naming both shapes as check_shape() does;
  ///         if another layer is due, for instance layer 1 while a pass is under way, naming both layers;
  ///         if a slot is in use, naming the row, the slot, and the position and sequence that it holds;
  ///         if two rows want the same slot, naming both rows and the slot;
  ///         if the slots are not those that the pass began with, naming the layer
  void append(int layer, const ConstMatrixRef& k, const ConstMatrixRef& v, const Batch& batch);

  /// All slots of one head, [capacity, head_dim]; free ones hold whatever was there.
  /// @throws std::invalid_argument naming the numbers if there is no such layer or head
  ConstMatrixMap keys(int layer, int kv_head) const;
  ConstMatrixMap values(int layer, int kv_head) const;

  /// Keeps the first n_positions positions of a sequence and frees the slots of the others (rollback). Other sequences
  /// stay as they are.
  /// @throws std::invalid_argument naming n_positions and the sequence if n_positions is negative
  void truncate(int sequence, int n_positions);

  /// Frees one slot; nothing happens if it is free.
  /// @throws std::invalid_argument naming the slot and the capacity if there is no such slot
  void forget(int slot);

  /// Frees all slots.
  void reset();

 private:
  Index first_row(int layer, int kv_head) const;  // of slot 0 in keys_ and values_
  void check_slots(const Batch& batch) const;
  void begin_pass(const Batch& batch);
  void give_up_unfinished_pass();
  void release(int slot);

  int n_layers_, n_kv_heads_, head_dim_;
  Matrix keys_, values_;             // [n_layers * n_kv_heads * capacity, head_dim]
  std::vector<int> sequence_;        // [capacity]
  std::vector<int> position_;        // [capacity]
  std::vector<int> batch_row_;       // [capacity]
  std::vector<std::int64_t> slots_;  // of the rows of the latest batch
  int next_layer_ = 0;               // due in append()
  int n_used_ = 0, end_slot_ = 0;
};

}  // namespace waitless
