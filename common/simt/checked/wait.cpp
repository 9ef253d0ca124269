/// The checker's side of barriers and warp functions, and of the threads that come and go between them.

#include "common/simt/wait.h"

#include <cstring>
#include <exception>

#include "common/simt/checked/checker.h"
#include "common/simt/checked/experiments.h"
#include "common/simt/checked/fiber.h"
#include "common/simt/checked/watchdog.h"
#include "common/simt/current.h"
#include "common/simt/thread_block.h"

namespace waitless::simt {
namespace checked {

constexpr unsigned kWarpSize = Order::kWarpSize;

void Checker::arrive_at_barrier(const char* file, int line) {
  settle_suspicion(nullptr);
  const unsigned me = thread();
  if (barrier_file_ == nullptr) {
    barrier_file_ = file;
    barrier_line_ = line;
  } else if (line != barrier_line_ || std::strcmp(file, barrier_file_) != 0) {
    Problem problem{};
    problem.kind = ProblemKind::kBarrierSites;
    problem.party = {current.block_index, me, Direction::kRead, nullptr};
    problem.file = file;
    problem.line = line;
    problem.other_file = barrier_file_;
    problem.other_line = barrier_line_;
    stop(problem);
  }
  arrived_at_[me] = barrier_;
}

void Checker::leave_barrier() {
  if (arrived_at_[thread()] == barrier_) pass_barrier();  // the first to leave speaks for all
}

/// All threads that have not exited have arrived at the barrier.
void Checker::pass_barrier() {
  settle_uninitialised();
  for (unsigned other = 0; other < n_threads_; ++other) {
    // One that has exited and left shared memory alone since the last barrier returned early, which CUDA allows.
    if (!has_exited_[other] || last_shared_access_[other] < order_.last_barrier()) continue;
    Problem problem{};
    problem.kind = ProblemKind::kBarrierSkipped;
    problem.party = {current.block_index, other, Direction::kRead, nullptr};
    problem.file = barrier_file_;
    problem.line = barrier_line_;
    stop(problem);
  }
  ++barrier_;
  ++counters_.barriers;
  barrier_file_ = nullptr;
  order_.pass_barrier();
  requests_.complete_all();
}

void Checker::arrive_at_warp_wait(const Wait& wait) {
  settle_suspicion(nullptr);
  const unsigned me = thread();
  warp_wait_[me] = wait;
  is_in_warp_wait_[me] = true;
  if ((wait.mask >> me % kWarpSize & 1) != 0) return;
  Problem problem{};
  problem.kind = ProblemKind::kMaskLacksCaller;
  problem.party = {current.block_index, me, Direction::kRead, nullptr};
  problem.file = wait.file;
  problem.line = wait.line;
  problem.wait = wait.kind;
  stop(problem);
}

/// Called by each lane when its wait is over; the first speaks for all that took part.
void Checker::leave_warp_wait() {
  const unsigned me = thread();
  if (!is_in_warp_wait_[me]) return;
  const unsigned warp = me / kWarpSize, first = warp * kWarpSize;
  std::uint32_t lanes = 0;
  bool all_lanes = true;
  for (unsigned lane = 0; lane < kWarpSize && first + lane < n_threads_; ++lane) {
    if (has_exited_[first + lane]) continue;
    const bool takes_part = (warp_wait_[me].mask >> lane & 1) != 0;
    all_lanes = all_lanes && takes_part;
    if (!takes_part) continue;
    lanes |= 1u << lane;
    is_in_warp_wait_[first + lane] = false;
  }
  ++counters_.warp_waits;
  check_lanes(warp, lanes);
  if (warp_wait_[me].kind == WaitKind::kSyncWarp) order_.sync_warp(warp, lanes);
  if (all_lanes) requests_.complete_warp(warp);
}

/// A shuffle may only read from lanes that take part in it.
void Checker::check_lanes(unsigned warp, std::uint32_t lanes) {
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const unsigned reader = warp * kWarpSize + lane;
    const Wait& wait = warp_wait_[reader];
    const int source = source_lane(wait, lane);
    if ((lanes >> source & 1) != 0) continue;
    Problem problem{};
    problem.kind = ProblemKind::kAbsentLane;
    problem.party = {current.block_index, reader, Direction::kRead, nullptr};
    problem.file = wait.file;
    problem.line = wait.line;
    problem.wait = wait.kind;
    problem.lane = source;
    problem.lane_has_exited = (wait.mask >> source & 1) != 0;
    stop(problem);
  }
}

void Checker::exit_thread() {
  settle_suspicion(nullptr);
  const unsigned me = thread(), warp = me / kWarpSize;
  has_exited_[me] = true;
  const unsigned n_lanes = n_threads_ - warp * kWarpSize < kWarpSize ? n_threads_ - warp * kWarpSize : kWarpSize;
  if (++n_exited_[warp] == n_lanes) requests_.complete_warp(warp);
  if (++n_threads_exited_ == n_threads_) settle_uninitialised();
}

void run_fiber() {
  ThreadBlock& block = *current.block;
  const int stack = block.enter_fiber();
  const auto& call = *static_cast<const InvokedKernel*>(block.arguments());
  char* const arguments = static_cast<char*>(__builtin_alloca_with_align(call.n_bytes, 8 * 64));
  try {
    for (int turn = block.next_turn();; turn = block.finish_thread(turn)) {
      if (!block.start_thread(turn, stack)) block.leave_fiber();
      watchdog().note_progress();
      // Each thread has its own copy, on its own stack.
      std::memcpy(arguments, call.arguments, call.n_bytes);
      checker().set_stack({reinterpret_cast<std::uintptr_t>(block.stacks().bottom(stack)), block.stacks().size(stack)});
      runs_kernel_code = true;
      call.invoke(arguments);
      runs_kernel_code = false;
      checker().exit_thread();
    }
  } catch (...) {
    runs_kernel_code = false;
    block.abandon(std::current_exception());
  }
}

/// Lives while a thread waits: others run in the meantime, on other stacks.
class WaitSection {
 public:
  WaitSection() : stack_(checker().stack()) {
    runs_kernel_code = false;
    watchdog().note_progress();
  }
  ~WaitSection() {
    checker().set_stack(stack_);
    runs_kernel_code = true;
  }
  WaitSection(const WaitSection&) = delete;
  WaitSection& operator=(const WaitSection&) = delete;

 private:
  Checker::Stack stack_;
};

}  // namespace checked

using checked::checker;
using checked::WaitSection;

void wait_at_barrier(const char* file, int line) {
  const WaitSection section;
  if (checked::is_skipped(file, line)) return;
  checker().arrive_at_barrier(file, line);
  current.block->wait_at_barrier(file, line);
  checker().leave_barrier();
}

BarrierVote vote_at_barrier(bool predicate, const char* file, int line) {
  const WaitSection section;
  if (checked::is_skipped(file, line)) return {predicate, 1};
  checker().arrive_at_barrier(file, line);
  const BarrierVote vote = current.block->vote_at_barrier(predicate, file, line);
  checker().leave_barrier();
  return vote;
}

std::uint64_t wait_for_warp(const Wait& wait) {
  const WaitSection section;
  if (wait.kind == WaitKind::kSyncWarp && checked::is_skipped(wait.file, wait.line)) return 0;
  checker().arrive_at_warp_wait(wait);
  const std::uint64_t result = current.block->wait_for_warp(wait);
  checker().leave_warp_wait();
  return result;
}

}  // namespace waitless::simt
