#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <map>
#include <string>

#include "common/cuda/device_matrix.h"
#include "common/model/batch_view.h"
#include "device_model.h"
#include "workspace_cuda.h"

namespace waitless {

struct DeviceOps;

/// Mixer of ops.h on the device.
using DeviceMixer =
    std::function<void(const DeviceModel& model, int layer, ConstDeviceMatrix x, const BatchView& batch,
                       const DeviceOps& ops, DeviceWorkspace& workspace, DeviceMatrix out, cudaStream_t stream)>;

/// The seams of ops.h on the device. Matrices and batch views are device memory. Everything is queued on the stream
/// that is passed, and nobody waits for it.
struct DeviceOps {
  std::function<void(const DeviceWeight& w, ConstDeviceMatrix x, DeviceMatrix out, cudaStream_t stream)> linear;
  std::function<void(const Config& config, int layer, ConstDeviceMatrix q, ConstDeviceMatrix k, ConstDeviceMatrix v,
                     const BatchView& batch, DeviceMatrix out, cudaStream_t stream)>
      attention;
  std::map<std::string, DeviceMixer, std::less<>> mixers;

  /// begin_step is told of the batch on the host, before anything of the step is queued: here it may be refused, and
  /// what attention has to know goes to the device once for all layers.
  std::function<void(const Batch& batch, cudaStream_t stream)> begin_step;
  std::function<void()> end_step;

  /// @throws std::invalid_argument naming the kind if there is no mixer for it
  const DeviceMixer& mixer(const std::string& kind) const;
};

}  // namespace waitless
