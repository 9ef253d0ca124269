#pragma once

#include <cstddef>

namespace waitless::simt {

/// Device memory: one range of addresses, which only kernels and the copying functions can reach. At all other times
/// the processor refuses access, so host code that reads a device pointer fails here as it does with a GPU.

constexpr std::size_t kDeviceMemorySize = std::size_t{4} << 30;  // addresses, not memory, until they are used

/// The lowest address of device memory.
const void* device_memory_begin();

/// @return null if nothing of that size is free; never null otherwise, also for 0 bytes
void* allocate_device_memory(std::size_t n_bytes);

/// @return false if no allocation starts there
bool free_device_memory(void* start);

/// @return true for any address in the range, allocated or not
bool is_device_address(const void* address);

/// The allocation that contains an address.
struct Allocation {
  const void* start;  // null if there is none
  std::size_t n_bytes;
};
Allocation find_allocation(const void* address);

/// Bytes in use.
std::size_t device_memory_in_use();

/// While one of these lives, the process may access device memory.
class DeviceMemoryAccess {
 public:
  DeviceMemoryAccess();
  ~DeviceMemoryAccess();
  DeviceMemoryAccess(const DeviceMemoryAccess&) = delete;
  DeviceMemoryAccess& operator=(const DeviceMemoryAccess&) = delete;
};

}  // namespace waitless::simt
