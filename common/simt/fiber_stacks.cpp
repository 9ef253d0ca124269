#include "common/simt/fiber_stacks.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include "common/simt/address_space.h"

namespace waitless::simt {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kStackSize = 256 << 10;  // AddressSanitizer spaces local variables out
#else
constexpr std::size_t kStackSize = 64 << 10;
#endif

// Were all stacks to start at the same offset in a page, their tops would compete for a few sets of the cache. They
// start at 32 different offsets, two cache lines apart.
constexpr std::size_t kOffsetStep = 2 * 64;
constexpr std::size_t kOffsets = 32;

}  // namespace

FiberStacks::FiberStacks() : guard_size_(sysconf(_SC_PAGESIZE)), stride_(guard_size_ + kStackSize) {
  base_ = static_cast<char*>(reserve_addresses(stride_ * kMaxStacks, PROT_NONE));
  tops_.reserve(kMaxStacks);
  free_.reserve(kMaxStacks);
}

FiberStacks::~FiberStacks() { munmap(base_, stride_ * kMaxStacks); }

void FiberStacks::add_stack() {
  const std::size_t number = tops_.size();
  char* const bottom = base_ + number * stride_ + guard_size_;
  if (number == kMaxStacks || mprotect(bottom, kStackSize, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  tops_.push_back(bottom + kStackSize - (number % kOffsets) * kOffsetStep);
  free_.push_back(static_cast<int>(number));
}

void FiberStacks::give_back_all() {
  free_.clear();
  for (int stack = static_cast<int>(tops_.size()); stack-- > 0;) free_.push_back(stack);
}

int FiberStacks::stack_of(const void* address) const {
  const std::size_t offset = static_cast<const char*>(address) - base_;
  return offset < stride_ * tops_.size() && offset % stride_ >= guard_size_ ? static_cast<int>(offset / stride_) : -1;
}

bool FiberStacks::is_guard(const void* address) const {
  const std::size_t offset = static_cast<const char*>(address) - base_;
  return offset < stride_ * kMaxStacks && offset % stride_ < guard_size_;
}

}  // namespace waitless::simt
