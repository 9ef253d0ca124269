#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/simt/checked/record.h"

namespace waitless::simt::checked {

/// Which accesses are ordered before what a thread does now: those before an earlier launch's end, before a barrier of
/// the thread block, before a __syncwarp with the thread, and those that another thread published with a fence and an
/// atomic operation whose result this thread, or one it has synchronized with, has seen. All others are concurrent, in
/// whatever order they happened to run here.
///
/// Thread blocks run one after another, so stamps grow from block to block.
class Order {
 public:
  static constexpr unsigned kMaxThreads = 1024;
  static constexpr unsigned kWarpSize = 32;

  void begin_launch();
  void begin_block(unsigned n_threads);
  void pass_barrier();
  void sync_warp(unsigned warp, std::uint32_t lanes);
  /// __threadfence and its relatives.
  void fence(unsigned thread);
  /// An atomic operation: publishes what came before the thread's last fence, and acquires what others published there.
  void synchronize(unsigned thread, const void* address) {
    if (published_.empty() && last_fence_[thread].stamp < block_begin_) return;
    synchronize_published(thread, address);
  }

  Stamp now(unsigned thread) const { return now_[thread]; }
  Stamp launch_begin() const { return launch_begin_; }
  Stamp block_begin() const { return block_begin_; }
  Stamp last_barrier() const { return last_barrier_; }

  /// True if the access comes before what `thread` does now, or is its own.
  bool is_before(Record access, unsigned thread) const {
    const Stamp stamp = access.stamp();
    if (stamp < launch_begin_) return true;
    if (stamp >= last_barrier_) return is_before_in_segment(access, thread) || is_acquired(access, thread);
    return stamp >= block_begin_ || is_acquired(access, thread);
  }
  /// The same without what atomic operations order; for accesses since the last barrier.
  bool is_before_in_segment(Record access, unsigned thread) const {
    const unsigned other = access.thread();
    return other == thread ||
           (other / kWarpSize == thread / kWarpSize && access.stamp() < seen_[thread][other % kWarpSize]);
  }

 private:
  using Seen = std::array<Stamp, kWarpSize>;

  /// What a fence orders before the thread's later atomic operations.
  struct Fence {
    Stamp stamp;    // the thread's own accesses before it
    Stamp barrier;  // all accesses of the block before it
    Seen seen;      // those of lanes of the warp
  };
  struct Publication {
    Stamp block_begin;
    unsigned thread;
    Fence fence;
  };
  struct Acquisition {
    unsigned thread;
    Stamp stamp;
    const std::vector<Publication>* publications;
    std::size_t n;  // the first n of them
  };

  void synchronize_published(unsigned thread, const void* address);
  bool is_acquired(Record access, unsigned thread) const;

  Stamp next_ = 1, launch_begin_ = 1, block_begin_ = 1, last_barrier_ = 1;
  unsigned n_threads_ = 0;
  std::array<Stamp, kMaxThreads> now_{};
  // seen_[t][l]: accesses of lane l of t's warp with smaller stamps come before what t does now.
  std::array<Seen, kMaxThreads> seen_{};
  std::array<Fence, kMaxThreads> last_fence_{};
  std::unordered_map<const void*, std::vector<Publication>> published_;  // in this launch, by address
  std::vector<Acquisition> acquired_;                                    // by the running block
};

}  // namespace waitless::simt::checked
