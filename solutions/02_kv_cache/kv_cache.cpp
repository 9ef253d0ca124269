#include "kv_cache.h"

#include <algorithm>
#include <string>

#include "common/not_implemented.h"

namespace waitless {
namespace {

[[noreturn]] void refuse(const std::string& reason) { throw std::invalid_argument("kv cache: " + reason); }

std::string text(std::int64_t number) { return std::to_string(number); }

}  // namespace

KvCache::KvCache(const Config& config, int capacity)
    : n_layers_(config.n_layers), n_kv_heads_(config.n_kv_heads), head_dim_(config.head_dim) {
  if (capacity < 1) refuse("its capacity must be at least 1, not " + text(capacity));
  keys_ = values_ = Matrix::Zero(Index(n_layers_) * n_kv_heads_ * capacity, head_dim_);
  sequence_.assign(capacity, kFree);
  position_.assign(capacity, 0);
  batch_row_.assign(capacity, -1);
  slots_.reserve(capacity);
}

int KvCache::n_stored(int sequence) const {
  return int(std::count(sequence_.begin(), sequence_.begin() + end_slot_, sequence));
}

Index KvCache::first_row(int layer, int kv_head) const {
  // EXERCISE(2.2): check layer and head; then multiply out the layout that the header describes.
  // SOLUTION_BEGIN(2.2)
  if (layer < 0 || layer >= n_layers_) refuse("layer " + text(layer) + " of " + text(n_layers_) + " layers");
  if (kv_head < 0 || kv_head >= n_kv_heads_) refuse("head " + text(kv_head) + " of " + text(n_kv_heads_) + " heads");
  return (Index(layer) * n_kv_heads_ + kv_head) * capacity();
  // SOLUTION_END(2.2)
}

ConstMatrixMap KvCache::keys(int layer, int kv_head) const {
  return {keys_.data() + first_row(layer, kv_head) * head_dim_, capacity(), head_dim_};
}

ConstMatrixMap KvCache::values(int layer, int kv_head) const {
  return {values_.data() + first_row(layer, kv_head) * head_dim_, capacity(), head_dim_};
}

void KvCache::append(int layer, const ConstMatrixRef& k, const ConstMatrixRef& v, const Batch& batch) {
  // EXERCISE(2.2): check shapes and layer; with layer 0 check the slots and begin a pass; then copy each stored row,
  // head by head, and note which layer is due next.
  // SOLUTION_BEGIN(2.2)
  check_shape("kv cache: k", k, batch.n_rows(), Index(n_kv_heads_) * head_dim_);
  check_shape("kv cache: v", v, batch.n_rows(), Index(n_kv_heads_) * head_dim_);
  if (layer != next_layer_) refuse("layer " + text(layer) + " came where layer " + text(next_layer_) + " is due");
  if (layer == 0) {
    check_slots(batch);
    begin_pass(batch);
  } else if (batch.slot != slots_) {
    refuse("the rows of layer " + text(layer) + " have other slots than those of layer 0");
  }

  for (int head = 0; head < n_kv_heads_; ++head) {
    const Index first = first_row(layer, head);
    for (int t = 0; t < batch.n_rows(); ++t) {
      if (batch.slot[t] == Batch::kNotStored) continue;
      keys_.row(first + batch.slot[t]) = k.row(t).segment(Index(head) * head_dim_, head_dim_);
      values_.row(first + batch.slot[t]) = v.row(t).segment(Index(head) * head_dim_, head_dim_);
    }
  }
  next_layer_ = (layer + 1) % n_layers_;
  // SOLUTION_END(2.2)
}

void KvCache::check_slots(const Batch& batch) const {
  // EXERCISE(2.2): every row with a slot needs a free one of its own below the capacity. Change nothing.
  // SOLUTION_BEGIN(2.2)
  batch.check();
  std::int64_t highest = -1;
  for (int t = 0; t < batch.n_rows(); ++t) {
    const std::int64_t slot = batch.slot[t];
    if (slot == Batch::kNotStored) continue;
    if (slot >= capacity()) {
      throw CacheFull("kv cache: row " + text(t) + " of the batch wants slot " + text(slot) + ", but there are " +
                      text(capacity()) + " slots, " + text(n_used_) + " of them in use");
    }
    if (sequence_[slot] != kFree) {
      refuse("row " + text(t) + " wants slot " + text(slot) + ", which holds position " + text(position_[slot]) +
             " of sequence " + text(sequence_[slot]));
    }
    if (slot <= highest) {  // above all before it, it is none of them
      const auto same = std::find(batch.slot.begin(), batch.slot.begin() + t, slot);
      if (same != batch.slot.begin() + t) {
        refuse("rows " + text(same - batch.slot.begin()) + " and " + text(t) + " both want slot " + text(slot));
      }
    }
    highest = std::max(highest, slot);
  }
  // SOLUTION_END(2.2)
}

void KvCache::begin_pass(const Batch& batch) {
  // EXERCISE(2.2): nothing belongs to the latest batch any more; then write down what each slot is about to hold.
  // SOLUTION_BEGIN(2.2)
  std::fill(batch_row_.begin(), batch_row_.begin() + end_slot_, -1);
  slots_ = batch.slot;
  for (int t = 0; t < batch.n_rows(); ++t) {
    const std::int64_t slot = batch.slot[t];
    if (slot == Batch::kNotStored) continue;
    sequence_[slot] = batch.sequence[t];
    position_[slot] = batch.position[t];
    batch_row_[slot] = t;
    ++n_used_;
    end_slot_ = std::max(end_slot_, int(slot) + 1);
  }
  // SOLUTION_END(2.2)
}

void KvCache::release(int slot) {
  // EXERCISE(2.2): free the slot unless it is free; keep n_used() and end_slot() right.
  // SOLUTION_BEGIN(2.2)
  if (sequence_[slot] == kFree) return;
  sequence_[slot] = kFree;
  batch_row_[slot] = -1;
  --n_used_;
  while (end_slot_ > 0 && sequence_[end_slot_ - 1] == kFree) --end_slot_;
  // SOLUTION_END(2.2)
}

void KvCache::give_up_unfinished_pass() {
  // EXERCISE(2.2): if a pass is under way, free the slots of its rows; layer 0 is due again.
  // SOLUTION_BEGIN(2.2)
  if (next_layer_ == 0) return;
  for (const std::int64_t slot : slots_) {
    if (slot != Batch::kNotStored) release(int(slot));
  }
  next_layer_ = 0;
  // SOLUTION_END(2.2)
}

void KvCache::truncate(int sequence, int n_positions) {
  // EXERCISE(2.2): check the argument; then free the slots of this sequence that hold later positions.
  // SOLUTION_BEGIN(2.2)
  if (n_positions < 0) refuse("cannot keep " + text(n_positions) + " positions of sequence " + text(sequence));
  give_up_unfinished_pass();
  for (int slot = end_slot_ - 1; slot >= 0; --slot) {
    if (sequence_[slot] == sequence && position_[slot] >= n_positions) release(slot);
  }
  // SOLUTION_END(2.2)
}

void KvCache::forget(int slot) {
  // EXERCISE(2.2): check the argument; then free that slot.
  // SOLUTION_BEGIN(2.2)
  if (slot < 0 || slot >= capacity()) refuse("slot " + text(slot) + " of " + text(capacity()) + " slots");
  give_up_unfinished_pass();
  release(slot);
  // SOLUTION_END(2.2)
}

void KvCache::reset() {
  // EXERCISE(2.2): free everything, the rows of an unfinished pass included.
  // SOLUTION_BEGIN(2.2)
  give_up_unfinished_pass();
  for (int slot = end_slot_ - 1; slot >= 0; --slot) release(slot);
  // SOLUTION_END(2.2)
}

}  // namespace waitless
