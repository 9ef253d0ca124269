#include "common/simt/host/device_properties.h"

#include <algorithm>
#include <cstring>

#include "common/simt/device_limits.h"
#include "common/simt/device_memory.h"
#include "common/simt/report.h"
#include "common/simt/settings.h"

using namespace waitless::simt;

namespace {

cudaError_t check_device(int device) {
  return device == 0 ? cudaSuccess : report({cudaErrorInvalidDevice, "simt has one device, number 0"});
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return check_device(device); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  cudaDeviceProp p{};
  std::strcpy(p.name, "simt (CUDA threads on this CPU)");
  p.totalGlobalMem = kDeviceMemorySize;
  p.sharedMemPerBlock = kSharedBytesPerBlock;
  p.regsPerBlock = kRegistersPerBlock;
  p.warpSize = kWarpSize;
  p.maxThreadsPerBlock = kMaxThreadsPerBlock;
  std::copy_n(kMaxBlockSize, 3, p.maxThreadsDim);
  std::copy_n(kMaxGridSize, 3, p.maxGridSize);
  p.totalConstMem = kConstantBytes;
  p.major = kComputeCapabilityMajor;
  p.minor = kComputeCapabilityMinor;
  p.multiProcessorCount = settings().n_workers;
  p.maxThreadsPerMultiProcessor = kMaxThreadsPerMultiprocessor;
  p.sharedMemPerMultiprocessor = kSharedBytesPerMultiprocessor;
  p.sharedMemPerBlockOptin = kMaxSharedBytesPerBlock;
  *properties = p;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = kMaxThreadsPerBlock;
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = kSharedBytesPerBlock;
      return cudaSuccess;
    case cudaDevAttrWarpSize:
      *value = kWarpSize;
      return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
      *value = settings().n_workers;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      *value = kComputeCapabilityMajor;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      *value = kComputeCapabilityMinor;
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = kMaxSharedBytesPerBlock;
      return cudaSuccess;
  }
  return report({cudaErrorInvalidValue, "cudaDeviceGetAttribute: simt does not know this attribute"});
}

cudaError_t cudaDeviceSynchronize() { return cudaPeekAtLastError(); }

cudaError_t cudaDeviceReset() { return cudaSuccess; }

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
