#pragma once

#include <cstdint>

namespace waitless {

/// What serving a model takes: its weights once, and a cache for every token of every sequence.
struct MemoryNeeds {
  std::int64_t weight_bytes = 0;
  std::int64_t kv_bytes_per_token = 0;
};

/// The bill for `batch` sequences of `context` tokens each.
struct MemoryBill {
  std::int64_t weight_bytes = 0;
  std::int64_t kv_bytes = 0;         // batch * context * kv_bytes_per_token
  std::int64_t left_bytes = 0;       // of the memory after both; negative if they do not fit
  std::int64_t largest_batch = 0;    // of sequences of this context that would fit; 0 if not even one
  std::int64_t longest_context = 0;  // of this many sequences that would fit; 0 if not even a token each
  bool fits() const { return left_bytes >= 0; }
};

/// Activations and the allocator's own needs are not on the bill; leave them a few percent of memory_bytes.
/// @throws std::invalid_argument unless weight_bytes and memory_bytes are >= 0 and the other numbers >= 1; if weights
///         and caches together take 2^63 bytes or more, which 64-bit integers do not hold
MemoryBill what_fits(const MemoryNeeds& needs, std::int64_t memory_bytes, std::int64_t context, std::int64_t batch);

}  // namespace waitless
