#pragma once

#include <cuda_runtime.h>

#include "common/cuda/device_matrix.h"
#include "common/model/batch.h"
#include "common/model/batch_view.h"
#include "device_model.h"
#include "ops_cuda.h"
#include "workspace_cuda.h"

// The forward pass of forward.h on the device, function by function. What is queued on the stream has not run when a
// function returns.

namespace waitless {

/// Ops that recompute everything: linear_cuda() and attention_cuda().
DeviceOps naive_ops_cuda();

/// @param x [T, d_model], already normed   @param out [T, d_model], must not overlap x; T = batch.n_rows
/// @param workspace uses q, k, v and attended; the caller has reserved T rows
void attention_mixer_cuda(const DeviceModel& model, int layer, ConstDeviceMatrix x, const BatchView& batch,
                          const DeviceOps& ops, DeviceWorkspace& workspace, DeviceMatrix out, cudaStream_t stream);

/// Layers first .. last - 1, in place.
/// @param x [T, d_model]; it may be workspace.x if the caller has reserved T rows
/// @param workspace reserved here for T rows; uses all but x and batch
/// @throws std::invalid_argument if x has another shape or the range is not within the model's layers
void decode_layers_cuda(const DeviceModel& model, DeviceMatrix x, const BatchView& batch, const DeviceOps& ops,
                        DeviceWorkspace& workspace, int first, int last, cudaStream_t stream = nullptr);

/// The whole pass. The batch is checked on the host and goes to the device in one copy; nothing comes back. After a
/// pass of this size, another allocates nothing.
/// @param logits [R, vocab_size], device memory
/// @throws std::invalid_argument, std::out_of_range as forward(); nothing has been queued then
void forward_cuda(const DeviceModel& model, const Batch& batch, const DeviceOps& ops, DeviceWorkspace& workspace,
                  DeviceMatrix logits, cudaStream_t stream = nullptr);

}  // namespace waitless
