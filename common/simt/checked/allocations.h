#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/simt/checked/shadow.h"
#include "common/simt/counters.h"
#include "common/simt/device_memory.h"

namespace waitless::simt::checked {

/// A piece of device memory, known for ever: also after it was freed.
struct DeviceAllocation {
  std::size_t offset, n_bytes;  // in the range of device memory
  bool is_live;
  const char* file;  // of the allocation, nullptr if unknown
  int line;
  Shadow shadow;
  // The bytes that the host has written, by cudaMemcpy or cudaMemset: all, or those whose bits are set.
  bool is_initialised;
  std::vector<std::uint8_t> initialised_bits;
  // In the running launch.
  std::uint32_t launch;
  MemoryTraffic read, written, atomic;
};

/// All pieces of device memory of the process, found by address.
class DeviceAllocations {
 public:
  DeviceAllocations();

  void add(const void* start, std::size_t n_bytes, const char* file, int line);
  void remove(const void* start);

  /// @return the number of the allocation at an offset in device memory, or of the one before it that is nearest; 0 if
  /// there is none
  std::uint32_t find(std::size_t offset) const { return by_granule_[offset / kGranule]; }
  std::uint32_t find_or_previous(std::size_t offset) const;
  DeviceAllocation& operator[](std::uint32_t number) { return *allocations_[number]; }
  const DeviceAllocation& at(std::uint32_t number) const { return *allocations_[number]; }
  std::size_t size() const { return allocations_.size(); }

  std::size_t offset_of(const void* address) const {
    return static_cast<std::size_t>(static_cast<const char*>(address) - base_);
  }
  const void* address_of(const DeviceAllocation& allocation) const { return base_ + allocation.offset; }

  /// The host has written all bytes.
  void set_initialised(const void* start, std::size_t n_bytes);
  /// The bytes are as initialised as those that were copied.
  void copy_initialised(const void* to, const void* from, std::size_t n_bytes);
  static bool is_initialised(const DeviceAllocation& allocation, std::size_t offset, std::size_t size);

 private:
  static constexpr std::size_t kGranule = 256;  // allocations start at multiples

  DeviceAllocation* find_live(const void* address);

  const char* base_;
  std::uint32_t* by_granule_;
  std::vector<std::unique_ptr<DeviceAllocation>> allocations_;  // [0] is no allocation
};

/// "x (4000 bytes, allocated at saxpy_test.cpp:12)"
std::string describe(const DeviceAllocation& allocation);

/// The name of the variable in a line such as `DeviceBuffer<float> x(n);`, or "" if that cannot be told.
std::string variable_declared_at(const char* file, int line);

}  // namespace waitless::simt::checked
