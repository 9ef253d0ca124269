#pragma once

#include "common/cuda/device_buffer.h"
#include "common/model/config.h"
#include "common/model/device_batch.h"

namespace waitless {

/// Workspace of workspace.h in device memory, and the batch of the pass under way.
struct DeviceWorkspace {
  DeviceBuffer<float> x, normed;        // [capacity, d_model]
  DeviceBuffer<float> q, k, v;          // [capacity, n_heads * head_dim], k and v [capacity, n_kv_heads * head_dim]
  DeviceBuffer<float> attended;         // [capacity, n_heads * head_dim]
  DeviceBuffer<float> residual_update;  // [capacity, d_model]
  DeviceBuffer<float> gate, up;         // [capacity, d_ff]
  DeviceBatch batch;

  /// Makes room for n_rows rows of a model. Contents are lost where it grows; each buffer only ever grows.
  void reserve(const Config& config, int n_rows);
};

}  // namespace waitless
