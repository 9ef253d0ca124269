#pragma once

#include <cstdint>

namespace waitless::simt {

/// What a thread waits for.
enum class WaitKind : std::uint8_t {
  kBarrier,  // the whole thread block; all that follow: lanes of the warp
  kSyncWarp,
  kShuffle,
  kShuffleUp,
  kShuffleDown,
  kShuffleXor,
  kBallot,
  kMatch,
};

/// One thread's side of a wait. Values of 1 to 8 bytes travel as 64 bits.
struct Wait {
  WaitKind kind;
  std::uint8_t width;    // shuffles: lanes per segment
  std::uint32_t mask;    // lanes that take part
  std::uint64_t value;   // what this lane gives, then what it gets
  std::int32_t operand;  // shuffles: source lane, distance or lane mask
  std::int32_t line;     // where in the kernel's source
  const char* file;
};

/// "__syncthreads", ...
const char* name_of(WaitKind kind);

/// The lane from which a shuffle reads, or `lane` itself if that lies outside its segment or nothing is shuffled.
int source_lane(const Wait& wait, int lane);

/// The outcome of a barrier.
struct BarrierVote {
  int n_true, n_threads;  // threads that passed true, threads that took part
};

// What kernels call, on the thread block that runs on this OS thread. `file` and `line` are the kernel's.

void wait_at_barrier(const char* file, int line);
BarrierVote vote_at_barrier(bool predicate, const char* file, int line);

/// Waits until all lanes in wait.mask that have not exited make the same call.
/// @return what the call gives this lane
std::uint64_t wait_for_warp(const Wait& wait);

}  // namespace waitless::simt
