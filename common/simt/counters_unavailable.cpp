/// counters.h in the fast build and on a GPU, which count nothing.

#include <cuda_runtime.h>

#include "common/simt/counters.h"

namespace waitless::simt {

MemoryTraffic& MemoryTraffic::operator+=(const MemoryTraffic&) { return *this; }

BufferCounters KernelCounters::of(const void*) const { return {}; }
MemoryTraffic KernelCounters::read() const { return {}; }
MemoryTraffic KernelCounters::written() const { return {}; }
MemoryTraffic KernelCounters::atomic() const { return {}; }

std::string why_no_counters() {
#if defined(WAITLESS_SIMT)
  return "checks and counters are unavailable: kernels were compiled without them, which need g++ 11 or newer on Linux";
#else
  return "checks and counters are unavailable: they are simt's, and kernels run on a GPU";
#endif
}

KernelCounters counters(const std::string& kernel) {
  KernelCounters none;
  none.kernel = kernel;
  return none;
}
std::vector<KernelCounters> all_counters() { return {}; }
CopyCounters copy_counters() { return {}; }
StreamCounters stream_counters(const void*) { return {}; }
AllocationCounters allocation_counters() { return {}; }
void reset_counters() {}
void declare_flops(double) {}
std::vector<LiveBuffer> live_buffers() { return {}; }

}  // namespace waitless::simt
