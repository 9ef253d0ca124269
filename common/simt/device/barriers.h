#pragma once

/// Barriers of the thread block, and fences. Threads that have exited are not waited for, as on GPUs since Volta.

#include <atomic>

#include "common/simt/wait.h"

__forceinline__ void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  waitless::simt::wait_at_barrier(file, line);
}

/// @return for how many threads the predicate is not 0
__forceinline__ int __syncthreads_count(int predicate, const char* file = __builtin_FILE(),
                                        int line = __builtin_LINE()) {
  return waitless::simt::vote_at_barrier(predicate != 0, file, line).n_true;
}

/// @return not 0 if the predicate is not 0 for all threads
__forceinline__ int __syncthreads_and(int predicate, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const waitless::simt::BarrierVote vote = waitless::simt::vote_at_barrier(predicate != 0, file, line);
  return vote.n_true == vote.n_threads;
}

/// @return not 0 if the predicate is not 0 for any thread
__forceinline__ int __syncthreads_or(int predicate, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return waitless::simt::vote_at_barrier(predicate != 0, file, line).n_true != 0;
}

__forceinline__ void __threadfence_block() { std::atomic_thread_fence(std::memory_order_seq_cst); }
__forceinline__ void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
__forceinline__ void __threadfence_system() { std::atomic_thread_fence(std::memory_order_seq_cst); }
