#include <map>
#include <string>
#include <utility>

#include "common/simt/thread_block.h"

namespace waitless::simt {

const char* name_of(WaitKind kind) {
  switch (kind) {
    case WaitKind::kBarrier:
      return "__syncthreads";
    case WaitKind::kSyncWarp:
      return "__syncwarp";
    case WaitKind::kShuffle:
      return "__shfl_sync";
    case WaitKind::kShuffleUp:
      return "__shfl_up_sync";
    case WaitKind::kShuffleDown:
      return "__shfl_down_sync";
    case WaitKind::kShuffleXor:
      return "__shfl_xor_sync";
    case WaitKind::kBallot:
      return "a warp vote";
    case WaitKind::kMatch:
      return "a warp match";
  }
  return "?";
}

/// All threads that have not exited wait, and none for something that will come.
Finding ThreadBlock::describe_deadlock() const {
  std::map<std::string, int> n_threads_at;
  for (int thread = 0; thread < n_threads_; ++thread) {
    if ((warps_[thread / kWarpSize].alive >> (thread % kWarpSize) & 1) == 0) continue;
    const Wait& wait = threads_[thread].wait;
    ++n_threads_at[std::string(name_of(wait.kind)) + " (" + wait.file + ":" + std::to_string(wait.line) + ")"];
  }
  std::string sentence = describe_kernel(call_->kernel) + " (" + describe_block() + ") waits for ever:";
  const char* separator = " ";
  for (const auto& [place, n_threads] : n_threads_at) {
    sentence += separator + std::to_string(n_threads) + (n_threads == 1 ? " thread" : " threads") + " at " + place;
    separator = ", ";
  }
  const int n_exited = n_threads_ - n_alive_;
  if (n_exited != 0) sentence += ", " + std::to_string(n_exited) + " exited";
  sentence +=
      "; all lanes in the mask of a warp function, and all threads of the block at a barrier, must make the same call";
  return {cudaErrorLaunchFailure, sentence};
}

}  // namespace waitless::simt
