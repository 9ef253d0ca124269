#pragma once

#include <cuda_runtime.h>

#include <string>

#include "common/cuda/cuda_check.h"

namespace waitless {

/// Why no CUDA device can be used, in the driver's words, or "" if one can.
inline std::string why_no_device() {
  int n_devices = 0;
  const cudaError_t result = cudaGetDeviceCount(&n_devices);
  if (result != cudaSuccess) {
    cudaGetLastError();
    return cudaGetErrorString(result);
  }
  return n_devices == 0 ? cudaGetErrorString(cudaErrorNoDevice) : "";
}

/// "NVIDIA H100 80GB HBM3", or "simt (CUDA threads on this CPU)".
inline std::string device_name() {
  cudaDeviceProp properties;
  cuda_check(cudaGetDeviceProperties(&properties, 0));
  return properties.name;
}

}  // namespace waitless
