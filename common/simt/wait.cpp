#include "common/simt/wait.h"

#include "common/simt/thread_block.h"

// The fast build: see checked/wait.cpp for the other.

namespace waitless::simt {

void wait_at_barrier(const char* file, int line) { current.block->wait_at_barrier(file, line); }

BarrierVote vote_at_barrier(bool predicate, const char* file, int line) {
  return current.block->vote_at_barrier(predicate, file, line);
}

std::uint64_t wait_for_warp(const Wait& wait) { return current.block->wait_for_warp(wait); }

}  // namespace waitless::simt
