#pragma once

#include <cuda_runtime.h>

#include "common/cuda/device_matrix.h"

namespace waitless {

/// The product of scale_columns.h on the device. Launches one kernel on `stream` and does not wait for it; with no
/// elements it launches nothing.
/// @param x [T, D] device   @param scale [1, D] device   @param out [T, D] device, may be x itself
/// @throws std::invalid_argument if those shapes do not hold
/// @throws CudaError if CUDA refuses the launch
void scale_columns_cuda(ConstDeviceMatrix x, ConstDeviceMatrix scale, DeviceMatrix out, cudaStream_t stream = nullptr);

}  // namespace waitless
