#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <optional>

#include "common/simt/current.h"
#include "common/simt/fiber_stacks.h"
#include "common/simt/finding.h"
#include "common/simt/thread_order.h"
#include "common/simt/wait.h"

namespace waitless::simt {

/// A launch as the scheduler sees it.
struct KernelCall {
  void (*run_fiber)();    // runs CUDA threads one after another; see KernelArguments::run_fiber
  const void* arguments;  // what run_fiber needs
  const void* kernel;     // its address, for reports
};

/// Runs thread blocks, one at a time, on one worker.
///
/// CUDA threads run one after another on one fiber. Only when a thread waits, at a barrier or for lanes of its warp,
/// does the next one start on a fiber of its own; so a kernel that never waits never switches. A waiting thread
/// switches straight to the next that can run: first those whose wait is over, then those not yet started. If there is
/// neither while threads wait, they wait for ever: the block is abandoned with a finding.
class ThreadBlock {
 public:
  static constexpr int kMaxThreads = 1024;
  static constexpr int kWarpSize = 32;

  ThreadBlock() = default;
  ThreadBlock(const ThreadBlock&) = delete;
  ThreadBlock& operator=(const ThreadBlock&) = delete;

  /// Prepares for blocks of current.block_size threads.
  void configure(const Settings& settings);

  /// Runs the thread block current.block_index to its end.
  /// @param block_number decides the random order
  /// @return what stopped it early, if anything did
  /// @throws what the kernel threw
  std::optional<Finding> run(const KernelCall& call, std::uint64_t block_number);

  // What follows is called on fibers.

  /// The first call on a fiber. @return the number of its stack
  int enter_fiber();

  const void* arguments() const { return call_->arguments; }

  /// The turn of the next thread that has not started.
  int next_turn() const { return n_started_; }

  /// Makes the thread of that turn the current one.
  /// @return false if there is none: leave_fiber() has to follow, which frees the stack
  bool start_thread(int turn, int stack) {
    if (turn == n_threads_) {
      free_stack_ = stack;
      return false;
    }
    n_started_ = turn + 1;
    current.thread = turns_.threads[turn];
    return true;
  }

  /// The thread of that turn has returned from the kernel. Until a thread of the block waits, nobody needs to know, and
  /// the fiber can count its turns without asking.
  /// @return the turn of the thread to start next
  int finish_thread(int turn) { return has_waited_ ? finish_among_waiting() : turn + 1; }

  /// Gives up the running fiber and continues another.
  void leave_fiber();

  /// Gives up the whole thread block because of an exception in the kernel.
  void abandon(std::exception_ptr exception);
  /// The same because of what a check has found. `describe` is called later, on the stack of the caller of run().
  [[noreturn]] void stop(Finding (*describe)());

  // The functions of wait.h.
  void wait_at_barrier(const char* file, int line);

  BarrierVote vote_at_barrier(bool predicate, const char* file, int line);

  std::uint64_t wait_for_warp(const Wait& wait);

  // What follows is called by the fault handler.

  const FiberStacks& stacks() const { return stacks_; }
  /// @return the fiber to continue, which then abandons the block
  void* fail(const Fault& fault);
  void* fail(Finding (*describe)());

 private:
  struct alignas(64) Thread {
    ThreadIndex index;
    void* fiber;  // where it is paused while it waits
    Wait wait;
  };
  struct Warp {
    std::uint32_t alive;    // lanes that have not exited
    std::uint32_t waiting;  // lanes that wait for lanes of this warp
  };
  struct Barrier {
    int n_missing;  // threads that have neither arrived nor exited
    int n_true;
    BarrierVote released;  // by the last release
  };

  void begin_first_wait();
  void pause(Thread& thread);
  void pause_without_ready(Thread& thread);
  void arrive_first_or_last(Thread& thread);
  Thread& take_ready();
  void make_ready(unsigned thread);
  int finish_among_waiting();
  void release_barrier();
  bool is_complete(unsigned warp, std::uint32_t mask) const;
  void complete(unsigned warp, std::uint32_t mask);
  Finding describe_deadlock() const;

  std::array<Thread, kMaxThreads> threads_;  // by linear index
  std::array<Warp, kMaxThreads / kWarpSize> warps_;
  std::array<std::uint16_t, kMaxThreads> ready_;  // a ring of threads whose wait is over
  unsigned first_ready_ = 0, end_ready_ = 0;      // modulo kMaxThreads
  int n_threads_ = 0, n_started_ = 0;
  int n_alive_ = 0;  // have not exited; like warps_, kept from the first wait on
  bool has_waited_ = false;
  Barrier barrier_{};
  Turns turns_;
  Settings settings_{};
  FiberStacks stacks_;
  int opened_stack_ = 0;  // of the fiber that starts next
  int free_stack_ = 0;    // of the fiber that is about to leave
  const KernelCall* call_ = nullptr;
  void* caller_ = nullptr;  // the paused fiber that called run()
  std::exception_ptr exception_;
  std::optional<Fault> fault_;
  Finding (*describe_)() = nullptr;  // what a check has found
};

}  // namespace waitless::simt
