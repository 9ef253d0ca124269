#pragma once

/// A fiber is a stack of its own and the point at which it paused. Switching saves the registers that survive a call
/// on the paused stack, so a paused fiber is one pointer. The code is in fiber_switch.cpp.
extern "C" {

/// Pauses the running fiber, stores it in *paused, and calls entry, which must not return, on an empty stack.
/// @param stack_top one past the highest byte, 16-byte aligned
void waitless_start_fiber(void** paused, void* stack_top, void (*entry)());

/// Pauses the running fiber, stores it in *paused, and continues `next`.
/// Both functions return when something continues *paused.
void waitless_switch_fiber(void** paused, void* next);

/// Continues `next` and forgets the running fiber: does not return. It touches no stack but that of `next`, so a
/// signal handler can return into it after a stack overflow.
void waitless_resume_fiber(void* ignored, void* next);
}
