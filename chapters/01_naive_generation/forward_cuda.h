#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <span>

#include "common/cuda/device_batch.h"
#include "common/cuda/device_matrix.h"
#include "device_model.h"

namespace waitless {

/// The seams of ops.h on the device. All matrices are device memory; work is queued on the stream.
struct DeviceOps {
  std::function<void(const DeviceWeight& w, ConstDeviceMatrix x, DeviceMatrix out, cudaStream_t stream)> linear;
  std::function<void(int layer, ConstDeviceMatrix q, ConstDeviceMatrix k, ConstDeviceMatrix v, const BatchView& batch,
                     DeviceMatrix out, cudaStream_t stream)>
      attention;
  std::function<void(int layer, ConstDeviceMatrix x, const BatchView& batch, DeviceMatrix out, cudaStream_t stream)>
      mixer;  // empty: projections, RoPE, attention, output projection
};

/// Ops that recompute everything: linear_cuda() and attention_cuda().
DeviceOps naive_device_ops(const Config& config);

/// Workspace of workspace.h in device memory.
struct DeviceWorkspace {
  int capacity = 0;  // rows
  DeviceBuffer<float> x, normed, q, k, v, attended, block, gate, up;

  void reserve(const Config& config, int n_rows);
};

/// decode_layers() of forward.h on the device, in place.
/// @param x [T, d_model]; T = batch.n_rows
void decode_layers_cuda(const DeviceModel& model, DeviceMatrix x, const BatchView& batch, const DeviceOps& ops,
                        DeviceWorkspace& workspace, int first, int last, cudaStream_t stream = nullptr);

/// forward() of forward.h on the device. Token ids and the batch are all that goes in; nothing comes back.
/// @param tokens [T], host memory, checked here   @param logits [R, vocab_size], device memory
/// @throws std::out_of_range naming the first token outside the vocabulary
void forward_cuda(const DeviceModel& model, std::span<const int> tokens, const Batch& batch, const DeviceOps& ops,
                  DeviceWorkspace& workspace, DeviceMatrix logits, cudaStream_t stream = nullptr);

}  // namespace waitless
