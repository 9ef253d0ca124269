#include "common/simt/thread_block.h"

#include <algorithm>
#include <utility>

#include "common/simt/hooks.h"
#include "common/simt/switch_fiber.h"

namespace waitless::simt {

WAITLESS_SIMT_THREAD_LOCAL Current current;

void ThreadBlock::configure(const Settings& settings) {
  settings_ = settings;
  turns_.set(current.block_size, settings);
  n_threads_ = static_cast<int>(turns_.threads.size());
  for (const ThreadIndex& thread : turns_.threads) threads_[thread.linear].index = thread;
}

std::optional<Finding> ThreadBlock::run(const KernelCall& call, std::uint64_t block_number) {
  if (settings_.order == ThreadOrder::kRandom) turns_.shuffle(settings_.seed, block_number);
  call_ = &call;
  n_started_ = 0;
  has_waited_ = false;
  first_ready_ = end_ready_ = 0;
  barrier_ = {.n_missing = 1, .n_true = 0, .released = {}};  // the first to arrive starts the count

  current.block = this;
  opened_stack_ = stacks_.take();
  start_fiber(&caller_, opened_stack_, call.run_fiber, stacks_);
  current.block = nullptr;
  hooks::leave_kernel();

  const bool all_exited = has_waited_ ? n_alive_ == 0 : n_started_ == n_threads_;
  if (all_exited && !fault_ && !exception_ && describe_ == nullptr) return std::nullopt;
  stacks_.give_back_all();
  if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
  if (describe_ != nullptr) return std::exchange(describe_, nullptr)();
  if (!fault_) return describe_deadlock();
  const Fault fault = *std::exchange(fault_, std::nullopt);
  return describe_fault(fault, call.kernel, stacks_.is_guard(fault.address));
}

/// Makes the first ready thread the current one.
inline ThreadBlock::Thread& ThreadBlock::take_ready() {
  Thread& next = threads_[ready_[first_ready_ % kMaxThreads]];
  ++first_ready_;
  __builtin_prefetch(threads_[ready_[(first_ready_ + 1) % kMaxThreads]].fiber);  // the stack of the one after next
  current.thread = next.index;
  return next;
}

void ThreadBlock::make_ready(unsigned thread) {
  ready_[end_ready_ % kMaxThreads] = static_cast<std::uint16_t>(thread);
  ++end_ready_;
}

/// Continues another thread; returns when `thread` is continued.
inline void ThreadBlock::pause(Thread& thread) {
  if (first_ready_ == end_ready_) return pause_without_ready(thread);
  Thread& next = take_ready();
  if (&next != &thread) switch_fiber(&thread.fiber, next.fiber, stacks_);
}

/// Starts another thread, or gives up.
void ThreadBlock::pause_without_ready(Thread& thread) {
  if (n_started_ == n_threads_) return switch_fiber(&thread.fiber, caller_, stacks_);  // for ever
  opened_stack_ = stacks_.take();
  start_fiber(&thread.fiber, opened_stack_, call_->run_fiber, stacks_);
}

int ThreadBlock::enter_fiber() {
  finish_start(stacks_);
  return opened_stack_;
}

void ThreadBlock::leave_fiber() {
  stacks_.give_back(free_stack_);
  resume_fiber(first_ready_ != end_ready_ ? take_ready().fiber : caller_, stacks_);
}

void ThreadBlock::abandon(std::exception_ptr exception) {
  exception_ = std::move(exception);
  resume_fiber(caller_, stacks_);
}

void ThreadBlock::stop(Finding (*describe)()) {
  describe_ = describe;
  resume_fiber(caller_, stacks_);
  __builtin_unreachable();
}

void* ThreadBlock::fail(const Fault& fault) {
  fault_ = fault;
  return caller_;
}

void* ThreadBlock::fail(Finding (*describe)()) {
  describe_ = describe;
  return caller_;
}

/// Catches up on the threads that have exited: so far each that has started, but for the current one.
void ThreadBlock::begin_first_wait() {
  has_waited_ = true;
  for (int first = 0; first < n_threads_; first += kWarpSize) {
    warps_[first / kWarpSize] = {~0u >> (kWarpSize - std::min(n_threads_ - first, kWarpSize)), 0};
  }
  for (int turn = 0; turn + 1 < n_started_; ++turn) {
    const unsigned thread = turns_.threads[turn].linear;
    warps_[thread / kWarpSize].alive &= ~(1u << (thread % kWarpSize));
  }
  n_alive_ = n_threads_ - (n_started_ - 1);
  barrier_.n_missing = n_alive_;
}

/// Those who waited only for this thread go on.
int ThreadBlock::finish_among_waiting() {
  const unsigned thread = current.thread.linear, warp = thread / kWarpSize;
  warps_[warp].alive &= ~(1u << (thread % kWarpSize));
  --n_alive_;
  if (--barrier_.n_missing == 0 && n_alive_ != 0) release_barrier();
  for (std::uint32_t rest = warps_[warp].waiting; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    if ((warps_[warp].waiting >> lane & 1) == 0) continue;  // released with an earlier lane
    const std::uint32_t mask = threads_[warp * kWarpSize + lane].wait.mask;
    if (is_complete(warp, mask)) complete(warp, mask);
  }
  return first_ready_ != end_ready_ ? n_threads_ : n_started_;  // those who are ready go first
}

void ThreadBlock::wait_at_barrier(const char* file, int line) {
  Thread& me = threads_[current.thread.linear];
  me.wait.kind = WaitKind::kBarrier;
  me.wait.file = file;
  me.wait.line = line;
  if (--barrier_.n_missing == 0) return arrive_first_or_last(me);
  pause(me);
}

/// Kept apart from wait_at_barrier(), which so needs no registers of its own.
void ThreadBlock::arrive_first_or_last(Thread& thread) {
  if (!has_waited_) {
    begin_first_wait();
    --barrier_.n_missing;
  }
  if (barrier_.n_missing == 0) release_barrier();
  pause(thread);
}

BarrierVote ThreadBlock::vote_at_barrier(bool predicate, const char* file, int line) {
  barrier_.n_true += predicate;
  wait_at_barrier(file, line);
  return barrier_.released;  // stays until the next release, for which this thread has to arrive
}

/// All threads that have not exited wait at the barrier, so none is ready.
void ThreadBlock::release_barrier() {
  barrier_ = {n_alive_, 0, {barrier_.n_true, n_alive_}};
  first_ready_ = 0;
  const auto is_alive = [this](unsigned thread) {
    return (warps_[thread / kWarpSize].alive >> (thread % kWarpSize) & 1) != 0;
  };
  const auto& order = turns_.linear;
  if (n_alive_ == n_threads_) {
    std::copy(order.begin(), order.end(), ready_.begin());
  } else {
    std::copy_if(order.begin(), order.end(), ready_.begin(), is_alive);
  }
  end_ready_ = static_cast<unsigned>(n_alive_);
}

std::uint64_t ThreadBlock::wait_for_warp(const Wait& wait) {
  if (!has_waited_) begin_first_wait();
  const unsigned thread = current.thread.linear, warp = thread / kWarpSize;
  threads_[thread].wait = wait;
  warps_[warp].waiting |= 1u << (thread % kWarpSize);
  if (is_complete(warp, wait.mask)) complete(warp, wait.mask);
  pause(threads_[thread]);
  return threads_[thread].wait.value;
}

}  // namespace waitless::simt
