/// The counters of all launches; see common/simt/counters.h.

#include "common/simt/checked/totals.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "common/simt/checked/checker.h"
#include "common/simt/checked/program.h"

namespace waitless::simt {
namespace checked {
namespace {

struct KernelTotals {
  KernelCounters counters;
  std::map<std::uint32_t, BufferCounters> buffers;  // by the number of the allocation
};

struct Totals {
  std::mutex mutex;
  std::vector<std::unique_ptr<KernelTotals>> kernels;  // in the order of the first launch
  std::map<const void*, std::string> names;            // by address, kept for ever
  CopyCounters copies;
  std::map<const void*, StreamCounters> streams;
  AllocationCounters allocations;
};

Totals& totals() {
  static Totals& the_totals = *new Totals;  // read after the last object of static storage has gone
  return the_totals;
}

thread_local double declared_flops = 0.0;

const std::string& name_of_kernel(Totals& all, const void* kernel) {
  std::string& name = all.names[kernel];
  if (name.empty()) name = function_name(kernel);
  return name;
}

KernelTotals& find_or_add(Totals& all, const std::string& name) {
  for (const auto& kernel : all.kernels) {
    if (kernel->counters.kernel == name) return *kernel;
  }
  all.kernels.push_back(std::make_unique<KernelTotals>());
  all.kernels.back()->counters.kernel = name;
  return *all.kernels.back();
}

KernelCounters with_buffers(const KernelTotals& kernel) {
  KernelCounters counters = kernel.counters;
  for (const auto& [number, buffer] : kernel.buffers) counters.buffers.push_back(buffer);
  return counters;
}

}  // namespace

void add_to_totals(const void* kernel, const KernelCounters& launch, const std::vector<std::uint32_t>& allocations) {
  Totals& all = totals();
  const std::lock_guard lock(all.mutex);
  KernelTotals& sum = find_or_add(all, name_of_kernel(all, kernel));
  KernelCounters& counters = sum.counters;
  counters.launches += launch.launches;
  counters.blocks += launch.blocks;
  counters.threads += launch.threads;
  counters.active_threads += launch.active_threads;
  counters.most_accesses_by_one = std::max(counters.most_accesses_by_one, launch.most_accesses_by_one);
  counters.barriers += launch.barriers;
  counters.warp_waits += launch.warp_waits;
  counters.shared.accesses += launch.shared.accesses;
  counters.shared.requests += launch.shared.requests;
  counters.shared.wavefronts += launch.shared.wavefronts;
  counters.shared.bytes += launch.shared.bytes;
  counters.declared_flops += launch.declared_flops;
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    const BufferCounters& buffer = launch.buffers[i];
    const auto [at, is_new] = sum.buffers.try_emplace(allocations[i], buffer);
    if (is_new) continue;
    at->second.read += buffer.read;
    at->second.written += buffer.written;
    at->second.atomic += buffer.atomic;
  }
}

double take_declared_flops() { return std::exchange(declared_flops, 0.0); }

void add_launch(const void* stream) {
  Totals& all = totals();
  const std::lock_guard lock(all.mutex);
  ++all.streams[stream].launches;
}

void add_copy(std::size_t n_bytes, bool to_device, bool from_device, const void* stream) {
  Totals& all = totals();
  const std::lock_guard lock(all.mutex);
  CopyCounters& copies = all.copies;
  ++all.streams[stream].copies;
  if (!to_device && !from_device) return;
  ++(!from_device ? copies.to_device : to_device ? copies.on_device : copies.to_host);
  (!from_device ? copies.to_device_bytes : to_device ? copies.on_device_bytes : copies.to_host_bytes) += n_bytes;
}

void add_fill(std::size_t n_bytes, const void* stream) {
  Totals& all = totals();
  const std::lock_guard lock(all.mutex);
  ++all.copies.fills;
  all.copies.filled_bytes += n_bytes;
  ++all.streams[stream].fills;
}

void add_allocation(std::size_t n_bytes) {
  Totals& all = totals();
  const std::lock_guard lock(all.mutex);
  ++all.allocations.allocations;
  all.allocations.allocated_bytes += n_bytes;
}

void add_free() {
  Totals& all = totals();
  const std::lock_guard lock(all.mutex);
  ++all.allocations.frees;
}

}  // namespace checked

using checked::totals;

MemoryTraffic& MemoryTraffic::operator+=(const MemoryTraffic& other) {
  accesses += other.accesses;
  requests += other.requests;
  sectors += other.sectors;
  bytes += other.bytes;
  unique_bytes += other.unique_bytes;
  return *this;
}

BufferCounters KernelCounters::of(const void* device_address) const {
  // Of buffers that had the address one after another, the last.
  for (auto buffer = buffers.rbegin(); buffer != buffers.rend(); ++buffer) {
    const auto offset =
        static_cast<std::size_t>(static_cast<const char*>(device_address) - static_cast<const char*>(buffer->start));
    if (offset < buffer->n_bytes) return *buffer;
  }
  return {};
}

MemoryTraffic KernelCounters::read() const {
  MemoryTraffic sum;
  for (const BufferCounters& buffer : buffers) sum += buffer.read;
  return sum;
}

MemoryTraffic KernelCounters::written() const {
  MemoryTraffic sum;
  for (const BufferCounters& buffer : buffers) sum += buffer.written;
  return sum;
}

MemoryTraffic KernelCounters::atomic() const {
  MemoryTraffic sum;
  for (const BufferCounters& buffer : buffers) sum += buffer.atomic;
  return sum;
}

std::string why_no_counters() { return ""; }

KernelCounters counters(const std::string& kernel) {
  const std::lock_guard lock(totals().mutex);
  for (const auto& sum : totals().kernels) {
    if (sum->counters.kernel == kernel) return checked::with_buffers(*sum);
  }
  KernelCounters none;
  none.kernel = kernel;
  return none;
}

std::vector<KernelCounters> all_counters() {
  const std::lock_guard lock(totals().mutex);
  std::vector<KernelCounters> all;
  for (const auto& sum : totals().kernels) all.push_back(checked::with_buffers(*sum));
  return all;
}

CopyCounters copy_counters() {
  const std::lock_guard lock(totals().mutex);
  return totals().copies;
}

StreamCounters stream_counters(const void* stream) {
  const std::lock_guard lock(totals().mutex);
  const auto found = totals().streams.find(stream);
  return found == totals().streams.end() ? StreamCounters{} : found->second;
}

AllocationCounters allocation_counters() {
  const std::lock_guard lock(totals().mutex);
  return totals().allocations;
}

void reset_counters() {
  const std::lock_guard lock(totals().mutex);
  totals().kernels.clear();
  totals().copies = {};
  totals().streams.clear();
  totals().allocations = {};
}

void declare_flops(double n) { checked::declared_flops += n; }

std::vector<LiveBuffer> live_buffers() {
  checked::DeviceAllocations& allocations = checked::checker().allocations();
  std::vector<LiveBuffer> live;
  for (std::uint32_t number = 1; number < allocations.size(); ++number) {
    const checked::DeviceAllocation& allocation = allocations[number];
    if (!allocation.is_live) continue;
    live.push_back({allocations.address_of(allocation), allocation.n_bytes, checked::describe(allocation)});
  }
  return live;
}

}  // namespace waitless::simt
