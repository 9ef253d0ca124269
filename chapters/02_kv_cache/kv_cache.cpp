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
  not_implemented("2.2", layer, kv_head);
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
  not_implemented("2.2", layer, k, v, batch);
}

void KvCache::check_slots(const Batch& batch) const {
  // EXERCISE(2.2): every row with a slot needs a free one of its own below the capacity. Change nothing.
  not_implemented("2.2", batch);
}

void KvCache::begin_pass(const Batch& batch) {
  // EXERCISE(2.2): nothing belongs to the latest batch any more; then write down what each slot is about to hold.
  not_implemented("2.2", batch);
}

void KvCache::release(int slot) {
  // EXERCISE(2.2): free the slot unless it is free; keep n_used() and end_slot() right.
  not_implemented("2.2", slot);
}

void KvCache::give_up_unfinished_pass() {
  // EXERCISE(2.2): if a pass is under way, free the slots of its rows; layer 0 is due again.
  not_implemented("2.2");
}

void KvCache::truncate(int sequence, int n_positions) {
  // EXERCISE(2.2): check the argument; then free the slots of this sequence that hold later positions.
  not_implemented("2.2", sequence, n_positions);
}

void KvCache::forget(int slot) {
  // EXERCISE(2.2): check the argument; then free that slot.
  not_implemented("2.2", slot);
}

void KvCache::reset() {
  // EXERCISE(2.2): free everything, the rows of an unfinished pass included.
  not_implemented("2.2");
}

}  // namespace waitless
