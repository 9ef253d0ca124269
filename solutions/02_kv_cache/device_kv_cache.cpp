#include "device_kv_cache.h"

#include <algorithm>
#include <string>
#include <vector>

namespace waitless {
namespace {

Config without_numbers(Config config) {
  config.n_layers = 1;
  config.head_dim = 0;
  return config;
}

std::size_t n_numbers(const Config& config, int capacity) {
  return std::size_t(config.n_layers) * config.n_kv_heads * capacity * config.head_dim;
}

}  // namespace

DeviceKvCache::DeviceKvCache(const Config& config, int capacity)
    : config_(config),
      books_(without_numbers(config), capacity),
      keys_(n_numbers(config, capacity)),
      values_(n_numbers(config, capacity)),
      sequence_(capacity),
      position_(capacity),
      batch_row_(capacity) {
  upload_books();
}

void DeviceKvCache::begin(const Batch& batch) {
  const Matrix nothing(batch.n_rows(), 0);
  books_.append(0, nothing, nothing, batch);  // the device's books are written by the kernel that appends
}

void DeviceKvCache::truncate(int sequence, int n_positions) {
  books_.truncate(sequence, n_positions);
  upload_books();
}

void DeviceKvCache::forget(int slot) {
  books_.forget(slot);
  upload_books();
}

void DeviceKvCache::reset() {
  books_.reset();
  upload_books();
}

DeviceKvView DeviceKvCache::view(int layer) {
  if (layer < 0 || layer >= config_.n_layers) {
    throw std::invalid_argument("kv cache: layer " + std::to_string(layer) + " of " + std::to_string(config_.n_layers) +
                                " layers");
  }
  const std::size_t first = std::size_t(layer) * config_.n_kv_heads * capacity() * config_.head_dim;
  return {.keys = keys_.data() + first,
          .values = values_.data() + first,
          .sequence = sequence_.data(),
          .position = position_.data(),
          .batch_row = batch_row_.data(),
          .n_kv_heads = config_.n_kv_heads,
          .capacity = capacity(),
          .head_dim = config_.head_dim,
          .end_slot = books_.end_slot()};
}

void DeviceKvCache::upload_books() {
  std::vector<int> sequence(capacity()), position(capacity()), batch_row(capacity());
  for (int slot = 0; slot < capacity(); ++slot) {
    sequence[slot] = books_.sequence(slot);
    position[slot] = books_.position(slot);
    batch_row[slot] = std::max(0, books_.batch_row(slot));
  }
  sequence_.copy_from_host(sequence);
  position_.copy_from_host(position);
  batch_row_.copy_from_host(batch_row);
}

}  // namespace waitless
