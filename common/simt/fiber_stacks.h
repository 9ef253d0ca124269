#pragma once

#include <cstddef>
#include <vector>

namespace waitless::simt {

/// The fiber stacks of one worker: made on demand, reused last-in first-out while they are in the cache.
/// Below each stack lies a page that faults, so an overflow is noticed and harms no neighbour.
class FiberStacks {
 public:
  static constexpr int kMaxStacks = 1024;  // a thread block has at most as many threads

  FiberStacks();
  ~FiberStacks();
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  /// @return the number of a stack that nobody uses
  int take() {
    if (free_.empty()) add_stack();
    const int stack = free_.back();
    free_.pop_back();
    return stack;
  }
  void give_back(int stack) { free_.push_back(stack); }
  void give_back_all();

  void* top(int stack) const { return tops_[stack]; }
  const void* bottom(int stack) const { return base_ + stack * stride_ + guard_size_; }
  std::size_t size(int stack) const { return static_cast<char*>(top(stack)) - static_cast<const char*>(bottom(stack)); }

  /// The stack that contains the address, or -1.
  int stack_of(const void* address) const;
  /// True if the address lies in the guard page of a stack.
  bool is_guard(const void* address) const;

 private:
  void add_stack();

  char* base_;
  std::size_t guard_size_, stride_;
  std::vector<void*> tops_;
  std::vector<int> free_;
};

}  // namespace waitless::simt
