#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "common/simt/checked/allocations.h"
#include "common/simt/checked/limits.h"
#include "common/simt/checked/order.h"
#include "common/simt/checked/problem.h"
#include "common/simt/checked/requests.h"
#include "common/simt/counters.h"
#include "common/simt/finding.h"
#include "common/simt/grid.h"
#include "common/simt/thread_local.h"

namespace waitless::simt::checked {

/// True while this OS thread runs the code of a kernel, false while it runs simt's own or the host's.
extern WAITLESS_SIMT_THREAD_LOCAL bool runs_kernel_code;

/// Lives while simt's code runs on a CUDA thread: its memory accesses are not the kernel's.
class RuntimeSection {
 public:
  RuntimeSection() { runs_kernel_code = false; }
  ~RuntimeSection() { runs_kernel_code = true; }
  RuntimeSection(const RuntimeSection&) = delete;
  RuntimeSection& operator=(const RuntimeSection&) = delete;
};

/// Checks and counts what the running thread block does. There is one, since one block runs at a time.
class Checker final : public Requests::Sink {
 public:
  Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  // Called by the launch.
  void begin_launch(const GridShape& shape, const void* kernel);
  void begin_block();
  void end_block();
  void end_launch(bool is_complete);

  // Called by the instrumented code of kernels.

  /// A thread is about to access memory.
  /// @param is_atomic atomic or volatile
  /// @param is_counted false if another access of the same operation is
  void access(const void* address, unsigned size, Direction direction, bool is_atomic, const void* code,
              bool is_counted = true);
  void fence();
  void bad_index(const char* file, int line, const char* type, long long index);

  /// The stack on which the kernel's code runs from now on, and where its local variables are.
  struct Stack {
    std::uintptr_t begin;
    std::size_t n_bytes;
  };
  Stack stack() const { return stack_; }
  void set_stack(Stack stack) { stack_ = stack; }

  // Called when threads of the block wait for each other.

  void arrive_at_barrier(const char* file, int line);
  /// The calling thread continues after the barrier at which it arrived.
  void leave_barrier();
  void arrive_at_warp_wait(const Wait& wait);
  void leave_warp_wait();
  void exit_thread();

  /// Called in the middle of a kernel that does nothing the checks can see.
  void note_no_progress(const void* code);
  /// What was noted when the block was given up.
  Finding describe_problem() const;

  /// The address after the latest access.
  const void* last_code() const { return last_code_; }

  DeviceAllocations& allocations() { return allocations_; }
  std::uint64_t n_accesses() const { return n_accesses_.load(std::memory_order_relaxed); }

 private:
  /// An access while it is looked at.
  struct Attempt {
    const void* address;
    unsigned size;
    Direction direction;
    bool is_atomic;
    const void* code;
    unsigned thread;
    Region region;
    std::size_t offset;  // in the allocation, or in the kind of memory
    std::uint32_t allocation;
  };

  static unsigned thread();

  void access_device(Attempt& attempt, std::size_t offset, bool is_counted);
  void access_shared(Attempt& attempt, Shadow& shadow, bool is_counted);
  void access_elsewhere(Attempt& attempt);
  bool is_ignored(std::uintptr_t address) const;
  template <Region region>
  void check_cells(const Attempt& attempt, Shadow& shadow, MemoryTraffic* traffic, unsigned site);
  template <Region region>
  bool is_ordered(Record access, unsigned thread) const;
  template <Region region>
  bool note_reader(Cell& cell, Record mine, unsigned thread);
  void begin_traffic(DeviceAllocation& allocation, std::uint32_t number);
  void add_request(const Site& site, const Request& request, int n_pieces) override;

  Problem problem_at(ProblemKind kind, const Attempt& attempt) const;
  [[noreturn]] void stop(const Problem& problem);
  Problem race_at(const Attempt& attempt, Record other) const;
  void suspect_race(const Attempt& attempt, Record other);
  /// @param next the thread's next access, or nullptr if it waits or exits first
  void settle_suspicion(const Attempt* next) {
    if (suspicion_.address != nullptr) [[unlikely]]
      settle(next);
  }
  void settle(const Attempt* next);
  void suspect_uninitialised(const Attempt& attempt);
  void settle_uninitialised() {
    if (is_uninitialised_) [[unlikely]]
      stop(uninitialised_);
  }
  uint3 block_of(Record access) const;
  std::string describe_party(const Party& party) const;
  std::string describe_memory(const Problem& problem) const;
  std::string describe_place(const Problem& problem) const;
  Finding describe_out_of_bounds(const std::string& who, const Problem& problem) const;

  void find_shared_variables(const std::string& kernel);
  void pass_barrier();
  void check_lanes(unsigned warp, std::uint32_t lanes);

  Order order_;
  Requests requests_;
  DeviceAllocations allocations_;
  Limits limits_;
  std::atomic<std::uint64_t> n_accesses_{0};  // written by one thread

  // Of the launch.
  GridShape shape_{};
  const void* kernel_ = nullptr;
  std::uint32_t launch_ = 0;
  unsigned n_threads_ = 0;
  std::uintptr_t device_begin_ = 0, dynamic_begin_ = 0, static_begin_ = 0;
  std::size_t static_bytes_ = 0;
  Shadow dynamic_shadow_, static_shadow_, variable_shadow_;
  std::vector<std::uint16_t> shared_variable_at_;  // by byte of the thread-local block: 1 + index, or 0
  std::vector<std::uint32_t> touched_;             // allocations
  struct BlockBegin {
    Stamp stamp;
    uint3 index;
  };
  std::vector<BlockBegin> blocks_;
  KernelCounters counters_;

  std::vector<char> is_shared_here_;  // by 1 + index: whether the kernel may use the variable
  const void* last_code_ = nullptr;
  Stack stack_{};

  // Of the block.
  unsigned n_threads_exited_ = 0;
  std::array<Stamp, Order::kMaxThreads> last_access_{}, last_shared_access_{};
  std::array<std::uint64_t, Order::kMaxThreads> n_global_accesses_{};
  std::array<bool, Order::kMaxThreads> has_exited_{};
  std::array<unsigned, Order::kMaxThreads / 32> n_exited_{};  // by warp
  // Barriers are numbered; a thread waits for the end of the one at which it arrived.
  unsigned barrier_ = 0;
  const char* barrier_file_ = nullptr;  // where the first thread waits; nullptr if nobody has arrived
  int barrier_line_ = 0;
  std::array<unsigned, Order::kMaxThreads> arrived_at_{};
  std::array<Wait, Order::kMaxThreads> warp_wait_{};
  std::array<bool, Order::kMaxThreads> is_in_warp_wait_{};

  /// What may be a race shows when the thread goes on; until then no other thread runs. Two threads that write the same
  /// bytes race only if they write different values. A thread that reads what another changes atomically does not race
  /// if it only prepares an atomicCAS, which will fail if the value was out of date.
  struct Suspicion {
    const void* address;  // nullptr: none
    std::array<unsigned char, 16> before;
    Problem problem;
  };
  Suspicion suspicion_{};
  bool is_uninitialised_ = false;  // somebody has read what nobody has written yet
  Problem uninitialised_{};

  Problem problem_{};
};

/// The one there is.
Checker& checker();

}  // namespace waitless::simt::checked
