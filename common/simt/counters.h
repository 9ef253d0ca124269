#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace waitless::simt {

/// What kernels did with a buffer in device memory, in one direction.
struct MemoryTraffic {
  std::uint64_t accesses = 0;      // by CUDA threads
  std::uint64_t requests = 0;      // by warps: one for all lanes that execute an instruction together
  std::uint64_t sectors = 0;       // pieces of 32 bytes that those requests touch; a GPU moves whole sectors
  std::uint64_t bytes = 0;         // that threads asked for
  std::uint64_t unique_bytes = 0;  // different bytes, in each launch

  double sectors_per_request() const { return requests == 0 ? 0.0 : double(sectors) / double(requests); }
  MemoryTraffic& operator+=(const MemoryTraffic& other);
};

/// The same in shared memory, reads, writes and atomic operations together.
struct SharedTraffic {
  std::uint64_t accesses = 0, requests = 0;
  std::uint64_t wavefronts = 0;  // rounds in which the banks can serve those requests; 1 a request without conflicts
  std::uint64_t bytes = 0;

  double wavefronts_per_request() const { return requests == 0 ? 0.0 : double(wavefronts) / double(requests); }
};

/// One buffer, as long as it lived.
struct BufferCounters {
  const void* start = nullptr;
  std::size_t n_bytes = 0;
  const char* file = nullptr;  // where it was allocated; nullptr if unknown
  int line = 0;
  MemoryTraffic read, written, atomic;
};

/// All launches of a kernel since the last reset_counters() that ran to their end.
struct KernelCounters {
  std::string kernel;
  std::uint64_t launches = 0, blocks = 0, threads = 0;
  std::uint64_t active_threads = 0;        // that accessed global or shared memory
  std::uint64_t most_accesses_by_one = 0;  // of global memory, by one thread in one launch
  std::uint64_t barriers = 0;              // that thread blocks passed
  std::uint64_t warp_waits = 0;            // shuffles, votes and __syncwarp, counted once a warp
  SharedTraffic shared;
  double declared_flops = 0.0;          // by declare_flops(): nothing counts arithmetic
  std::vector<BufferCounters> buffers;  // in the order of their allocation

  /// The counters of the buffer that contains the address; all 0 if the kernel did not access it.
  BufferCounters of(const void* device_address) const;
  /// The same for a DeviceBuffer.
  template <class Buffer>
  requires requires(const Buffer& buffer) { buffer.data(); }
  BufferCounters of(const Buffer& buffer) const { return of(static_cast<const void*>(buffer.data())); }

  /// All buffers together.
  MemoryTraffic read() const;
  MemoryTraffic written() const;
  MemoryTraffic atomic() const;
};

/// Copies between host and device since the last reset_counters().
struct CopyCounters {
  std::uint64_t to_device = 0, to_device_bytes = 0;
  std::uint64_t to_host = 0, to_host_bytes = 0;
  std::uint64_t on_device = 0, on_device_bytes = 0;
  std::uint64_t fills = 0, filled_bytes = 0;  // cudaMemset
};

/// What was queued on a stream since the last reset_counters(), calls without a stream on the default stream, nullptr.
/// On simt all of it runs at once; on a GPU, work of other streams does not wait for it.
struct StreamCounters {
  std::uint64_t launches = 0, copies = 0, fills = 0;
};

/// Calls of cudaMalloc and cudaFree since the last reset_counters(). On a GPU each may wait until the device is idle.
struct AllocationCounters {
  std::uint64_t allocations = 0, allocated_bytes = 0, frees = 0;
};

/// Why there are no counters, or "" if there are: only the checked build, which needs g++, has them.
std::string why_no_counters();

/// The counters of one kernel by its name without namespaces and template arguments, such as "saxpy_kernel".
/// All 0 if it was not launched.
KernelCounters counters(const std::string& kernel);
/// Of every kernel that was launched, in the order of the first launch.
std::vector<KernelCounters> all_counters();
CopyCounters copy_counters();
StreamCounters stream_counters(const void* stream);
AllocationCounters allocation_counters();
void reset_counters();

/// Called by a launcher beside launch(): the floating-point operations of the next launch on this host thread, by the
/// chapter's formula.
void declare_flops(double n);

/// A buffer that was allocated and not freed.
struct LiveBuffer {
  const void* start;
  std::size_t n_bytes;
  std::string description;
};
/// Empty in the fast build.
std::vector<LiveBuffer> live_buffers();

}  // namespace waitless::simt
