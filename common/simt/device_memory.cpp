#include "common/simt/device_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "common/simt/address_space.h"
#include "common/simt/hooks.h"

namespace waitless::simt {
namespace {

constexpr std::size_t kAlignment = 256;  // that of cudaMalloc

// Protection changes at each launch and copy, page by page: it is as fast as its pages are large. Linux backs a range
// with large pages if it begins and ends on a boundary of them.
constexpr std::size_t kLargePage = 2 << 20;

constexpr std::size_t round_up(std::size_t n, std::size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

/// First fit over the free gaps, which are merged with their neighbours when memory is returned.
class Arena {
 public:
  Arena() {
    void* memory = reserve_addresses(kDeviceMemorySize + kLargePage, PROT_NONE);
    base_ = reinterpret_cast<char*>(round_up(reinterpret_cast<std::uintptr_t>(memory), kLargePage));
#if defined(MADV_HUGEPAGE)
    madvise(base_, kDeviceMemorySize, MADV_HUGEPAGE);
#endif
    gaps_[0] = kDeviceMemorySize;
  }

  void* allocate(std::size_t n_bytes) {
    const std::lock_guard lock(mutex_);
    if (n_bytes > kDeviceMemorySize) return nullptr;
    const std::size_t size = size_in_arena(n_bytes);
    const auto find_gap = [&] {
      return std::find_if(gaps_.begin(), gaps_.end(), [size](const auto& g) { return g.second >= size; });
    };
    auto gap = find_gap();
    if (gap == gaps_.end()) {
      empty_quarantine(0);
      gap = find_gap();
    }
    if (gap == gaps_.end()) return nullptr;
    const auto [start, gap_size] = *gap;
    gaps_.erase(gap);
    if (gap_size > size) gaps_[start + size] = gap_size - size;
    allocations_[start] = n_bytes;
    n_bytes_in_use_ += n_bytes;
    end_ = std::max(end_, start + size);
    if (n_users_ > 0) protect(PROT_READ | PROT_WRITE);
    return base_ + start;
  }

  bool free(void* address) {
    const std::lock_guard lock(mutex_);
    const auto allocation = allocations_.find(static_cast<char*>(address) - base_);
    if (allocation == allocations_.end()) return false;
    const std::size_t start = allocation->first, size = size_in_arena(allocation->second);
    n_bytes_in_use_ -= allocation->second;
    allocations_.erase(allocation);
    quarantine_.emplace_back(start, size);
    n_bytes_in_quarantine_ += size;
    empty_quarantine(hooks::kQuarantineBytes);
    return true;
  }

  const void* begin() const { return base_; }

  bool contains(const void* address) const {
    return static_cast<std::size_t>(static_cast<const char*>(address) - base_) < kDeviceMemorySize;
  }

  Allocation find(const void* address) {
    const std::lock_guard lock(mutex_);
    if (!contains(address)) return {nullptr, 0};
    const std::size_t offset = static_cast<const char*>(address) - base_;
    auto allocation = allocations_.upper_bound(offset);
    if (allocation == allocations_.begin()) return {nullptr, 0};
    --allocation;
    if (offset >= allocation->first + std::max<std::size_t>(allocation->second, 1)) return {nullptr, 0};
    return {base_ + allocation->first, allocation->second};
  }

  std::size_t n_bytes_in_use() {
    const std::lock_guard lock(mutex_);
    return n_bytes_in_use_;
  }

  void begin_access() {
    const std::lock_guard lock(mutex_);
    if (n_users_++ == 0) protect(PROT_READ | PROT_WRITE);
  }
  void end_access() {
    const std::lock_guard lock(mutex_);
    if (--n_users_ == 0) protect(PROT_NONE);
  }

 private:
  static std::size_t size_in_arena(std::size_t n_bytes) {
    return round_up(std::max<std::size_t>(n_bytes, 1), kAlignment) + hooks::kGapBytes;
  }

  /// Makes the oldest of what was freed available again until no more than n_bytes wait.
  void empty_quarantine(std::size_t n_bytes) {
    while (n_bytes_in_quarantine_ > n_bytes) {
      const auto [start, size] = quarantine_.front();
      quarantine_.pop_front();
      n_bytes_in_quarantine_ -= size;
      add_gap(start, size);
    }
  }

  void add_gap(std::size_t start, std::size_t size) {
    auto next = gaps_.lower_bound(start);
    if (next != gaps_.begin() && std::prev(next)->first + std::prev(next)->second == start) {
      start = std::prev(next)->first;
      size += std::prev(next)->second;
      gaps_.erase(std::prev(next));
    }
    if (next != gaps_.end() && next->first == start + size) {
      size += next->second;
      gaps_.erase(next);
    }
    gaps_[start] = size;
  }

  /// Large pages beyond the highest allocation so far are never accessible.
  void protect(int protection) { mprotect(base_, round_up(end_, kLargePage), protection); }

  std::mutex mutex_;
  char* base_;
  std::map<std::size_t, std::size_t> gaps_;                     // offset -> size
  std::map<std::size_t, std::size_t> allocations_;              // offset -> bytes asked for
  std::deque<std::pair<std::size_t, std::size_t>> quarantine_;  // offset and size, oldest first
  std::size_t n_bytes_in_quarantine_ = 0;
  std::size_t end_ = 0;
  std::size_t n_bytes_in_use_ = 0;
  int n_users_ = 0;
};

Arena& arena() {
  static Arena& the_arena = *new Arena;  // lives as long as the last DeviceBuffer of a static object
  return the_arena;
}

}  // namespace

const void* device_memory_begin() { return arena().begin(); }
void* allocate_device_memory(std::size_t n_bytes) { return arena().allocate(n_bytes); }
bool free_device_memory(void* start) { return arena().free(start); }
bool is_device_address(const void* address) { return arena().contains(address); }
Allocation find_allocation(const void* address) { return arena().find(address); }
std::size_t device_memory_in_use() { return arena().n_bytes_in_use(); }

DeviceMemoryAccess::DeviceMemoryAccess() { arena().begin_access(); }
DeviceMemoryAccess::~DeviceMemoryAccess() { arena().end_access(); }

}  // namespace waitless::simt
