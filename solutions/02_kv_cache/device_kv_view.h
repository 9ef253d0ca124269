#pragma once

namespace waitless {

/// One layer of a KV cache as kernels read and write it. All pointers are device memory of somebody else.
struct DeviceKvView {
  float* keys;    // [n_kv_heads, n_slots, head_dim]
  float* values;  // [n_kv_heads, n_slots, head_dim]
  int n_kv_heads, n_slots, head_dim;
};

}  // namespace waitless
