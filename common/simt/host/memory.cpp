#include <cstdlib>
#include <cstring>
#include <string>

#include "common/simt/device_memory.h"
#include "common/simt/faults.h"
#include "common/simt/grid.h"
#include "common/simt/hooks.h"
#include "common/simt/host/runtime_api.h"
#include "common/simt/report.h"

namespace waitless::simt {
namespace {

/// @return "" if [start, start + n_bytes) lies on the device, inside one allocation, or else why not
std::string why_not_on_device(const void* start, std::size_t n_bytes) {
  if (!is_device_address(start)) return "is a host pointer, where a device pointer belongs";
  const Allocation allocation = find_allocation(start);
  if (allocation.start == nullptr) return "points to device memory that is not allocated, or no longer";
  const std::size_t n_left =
      allocation.n_bytes - (static_cast<const char*>(start) - static_cast<const char*>(allocation.start));
  if (n_bytes <= n_left) return "";
  return "has " + std::to_string(n_left) + " bytes left in its allocation of " + std::to_string(allocation.n_bytes);
}

std::string why_not_on_host(const void* start) {
  return is_device_address(start) ? "is a device pointer, where a host pointer belongs" : "";
}

cudaError_t copy(const char* call, void* to, const void* from, std::size_t n_bytes, cudaMemcpyKind kind,
                 cudaStream_t stream = nullptr) {
  if (n_bytes == 0) return cudaSuccess;
  const auto fail = [&](cudaError_t error, const std::string& why) {
    return report({error, std::string(call) + " of " + std::to_string(n_bytes) + " bytes: " + why});
  };
  if (to == nullptr || from == nullptr) return fail(cudaErrorInvalidValue, "a pointer is null");
  bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (kind == cudaMemcpyDefault) {
    to_device = is_device_address(to);
    from_device = is_device_address(from);
  } else if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return fail(cudaErrorInvalidMemcpyDirection, "the direction is none of cudaMemcpyKind");
  }
  const std::string to_problem = to_device ? why_not_on_device(to, n_bytes) : why_not_on_host(to);
  if (!to_problem.empty()) return fail(cudaErrorInvalidValue, "the destination " + to_problem);
  const std::string from_problem = from_device ? why_not_on_device(from, n_bytes) : why_not_on_host(from);
  if (!from_problem.empty()) return fail(cudaErrorInvalidValue, "the source " + from_problem);
  const DeviceMemoryAccess access;
  std::memmove(to, from, n_bytes);
  hooks::copied(to, from, n_bytes, to_device, from_device, stream);
  return cudaSuccess;
}

}  // namespace

cudaError_t allocate(void** start, std::size_t n_bytes, const char* file, int line) {
  install_fault_handler();
  if (start == nullptr) return report({cudaErrorInvalidValue, "cudaMalloc: the pointer to fill is null"});
  *start = nullptr;
  if (n_bytes == 0) return cudaSuccess;
  *start = allocate_device_memory(n_bytes);
  if (*start != nullptr) {
    hooks::allocated(*start, n_bytes, file, line);
    return cudaSuccess;
  }
  return report({cudaErrorMemoryAllocation, "cudaMalloc of " + std::to_string(n_bytes) +
                                                " bytes: " + std::to_string(device_memory_in_use()) + " of " +
                                                std::to_string(kDeviceMemorySize) + " are in use"});
}

cudaError_t allocate_host(void** start, std::size_t n_bytes) {
  *start = std::malloc(n_bytes == 0 ? 1 : n_bytes);
  return *start != nullptr ? cudaSuccess : report({cudaErrorMemoryAllocation, "cudaMallocHost: out of memory"});
}

cudaError_t set_function_attribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;  // a hint
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value >= 0 &&
      set_max_dynamic_shared_bytes(kernel, static_cast<std::size_t>(value))) {
    return cudaSuccess;
  }
  return report({cudaErrorInvalidValue, "cudaFuncSetAttribute: a thread block may have 166912 bytes of shared memory"});
}

cudaError_t copy_symbol(void* to, const void* from, std::size_t n_bytes, std::size_t offset, std::size_t symbol_size,
                        bool to_symbol) {
  if (offset > symbol_size || n_bytes > symbol_size - offset) {
    return report({cudaErrorInvalidValue, "a copy of " + std::to_string(n_bytes) + " bytes at offset " +
                                              std::to_string(offset) + " does not fit a symbol of " +
                                              std::to_string(symbol_size)});
  }
  const DeviceMemoryAccess access;
  std::memcpy(to, from, n_bytes);
  hooks::copied(to, from, n_bytes, to_symbol, !to_symbol, nullptr);
  return cudaSuccess;
}

}  // namespace waitless::simt

using namespace waitless::simt;

cudaError_t cudaFree(void* start) {
  if (start == nullptr) return cudaSuccess;
  if (free_device_memory(start)) {
    hooks::freed(start);
    return cudaSuccess;
  }
  return report({cudaErrorInvalidValue,
                 std::string("cudaFree: the pointer ") +
                     (is_device_address(start) ? "is freed twice or starts no allocation" : "is a host pointer")});
}

cudaError_t cudaFreeHost(void* start) {
  std::free(start);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t n_bytes, cudaMemcpyKind kind) {
  return copy("cudaMemcpy", to, from, n_bytes, kind);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t n_bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy("cudaMemcpyAsync", to, from, n_bytes, kind, stream);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t n_bytes,
                         std::size_t n_rows, cudaMemcpyKind kind) {
  if (n_bytes > to_pitch || n_bytes > from_pitch) {
    return report({cudaErrorInvalidValue, "cudaMemcpy2D: a row is longer than its pitch"});
  }
  for (std::size_t row = 0; row < n_rows; ++row) {
    const cudaError_t error = copy("cudaMemcpy2D", static_cast<char*>(to) + row * to_pitch,
                                   static_cast<const char*>(from) + row * from_pitch, n_bytes, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaMemset(void* start, int byte, std::size_t n_bytes) {
  return cudaMemsetAsync(start, byte, n_bytes, nullptr);
}

cudaError_t cudaMemsetAsync(void* start, int byte, std::size_t n_bytes, cudaStream_t stream) {
  if (n_bytes == 0) return cudaSuccess;
  if (const std::string problem = why_not_on_device(start, n_bytes); !problem.empty()) {
    return report(
        {cudaErrorInvalidValue, "cudaMemset of " + std::to_string(n_bytes) + " bytes: the pointer " + problem});
  }
  const DeviceMemoryAccess access;
  std::memset(start, byte, n_bytes);
  hooks::filled(start, n_bytes, stream);
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* n_free, std::size_t* n_total) {
  *n_total = kDeviceMemorySize;
  *n_free = kDeviceMemorySize - device_memory_in_use();
  return cudaSuccess;
}
