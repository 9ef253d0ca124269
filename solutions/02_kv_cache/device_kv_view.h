#pragma once

#include <climits>

namespace waitless {

/// One layer of a KV cache as kernels read and write it. All pointers are device memory of somebody else.
struct DeviceKvView {
  static constexpr int kFree = INT_MIN;  // KvCache::kFree

  float* keys;     // [n_kv_heads, capacity, head_dim]
  float* values;   // [n_kv_heads, capacity, head_dim]
  int* sequence;   // [capacity] of the token in a slot; kFree: nothing
  int* position;   // [capacity]
  int* batch_row;  // [capacity] the row of the batch that was stored there
  int n_kv_heads, capacity, head_dim;
  int end_slot;  // one more than the highest slot in use
};

}  // namespace waitless
