#pragma once

/// Switches fibers, and under AddressSanitizer tells it so: else it would take a jump between stacks for a stack
/// overflow.

#include "common/simt/fiber_stacks.h"
#include "common/simt/fiber_switch.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace waitless::simt {

#if !defined(__SANITIZE_ADDRESS__)

inline void start_fiber(void** paused, int stack, void (*entry)(), const FiberStacks& stacks) {
  waitless_start_fiber(paused, stacks.top(stack), entry);
}
inline void switch_fiber(void** paused, void* next, const FiberStacks&) { waitless_switch_fiber(paused, next); }
inline void resume_fiber(void* next, const FiberStacks&) { waitless_resume_fiber(nullptr, next); }
inline void announce_resume(const void*, const FiberStacks&) {}
inline void finish_start(const FiberStacks&) {}

#else

/// The stack of the worker itself, which FiberStacks does not know.
inline thread_local const void* worker_stack_bottom = nullptr;
inline thread_local std::size_t worker_stack_size = 0;

/// @param fake_stack where to keep the paused fiber's fake stack; null if the fiber ends
inline void announce_switch(void** fake_stack, const void* next, const FiberStacks& stacks) {
  const int stack = stacks.stack_of(next);
  const bool is_fiber = stack >= 0;
  __sanitizer_start_switch_fiber(fake_stack, is_fiber ? stacks.bottom(stack) : worker_stack_bottom,
                                 is_fiber ? stacks.size(stack) : worker_stack_size);
}

inline void start_fiber(void** paused, int stack, void (*entry)(), const FiberStacks& stacks) {
  void* fake_stack = nullptr;
  __asan_unpoison_memory_region(stacks.bottom(stack),
                                stacks.size(stack));  // of frames that were left, not returned from
  announce_switch(&fake_stack, stacks.bottom(stack), stacks);
  waitless_start_fiber(paused, stacks.top(stack), entry);
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
}

inline void switch_fiber(void** paused, void* next, const FiberStacks& stacks) {
  void* fake_stack = nullptr;
  announce_switch(&fake_stack, next, stacks);
  waitless_switch_fiber(paused, next);
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
}

/// For who resumes a fiber without resume_fiber().
inline void announce_resume(const void* next, const FiberStacks& stacks) { announce_switch(nullptr, next, stacks); }

inline void resume_fiber(void* next, const FiberStacks& stacks) {
  announce_resume(next, stacks);
  waitless_resume_fiber(nullptr, next);
}

/// The first statement of a fiber.
inline void finish_start(const FiberStacks& stacks) {
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
  if (stacks.stack_of(bottom) < 0) {
    worker_stack_bottom = bottom;
    worker_stack_size = size;
  }
}

#endif

}  // namespace waitless::simt
