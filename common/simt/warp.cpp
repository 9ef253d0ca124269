#include <algorithm>

#include "common/simt/thread_block.h"

namespace waitless::simt {
namespace {

bool contains(std::uint32_t mask, int lane) { return (mask >> lane & 1) != 0; }

}  // namespace

int source_lane(const Wait& wait, int lane) {
  const int first = lane & ~(wait.width - 1);
  const int end = first + wait.width;
  switch (wait.kind) {
    case WaitKind::kShuffle:
      return first + (wait.operand & (wait.width - 1));
    case WaitKind::kShuffleUp:
      return static_cast<unsigned>(wait.operand) > static_cast<unsigned>(lane - first) ? lane : lane - wait.operand;
    case WaitKind::kShuffleDown:
      return static_cast<unsigned>(wait.operand) >= static_cast<unsigned>(end - lane) ? lane : lane + wait.operand;
    case WaitKind::kShuffleXor:
      return (lane ^ wait.operand) >= end ? lane : lane ^ wait.operand;
    default:
      return lane;
  }
}

/// True if all lanes in the mask that have not exited wait in the same call with the same mask.
bool ThreadBlock::is_complete(unsigned warp, std::uint32_t mask) const {
  const std::uint32_t present = mask & warps_[warp].alive;
  if (present == 0 || (warps_[warp].waiting & present) != present) return false;
  const Thread* const lanes = &threads_[warp * kWarpSize];
  const WaitKind kind = lanes[__builtin_ctz(present)].wait.kind;
  for (std::uint32_t rest = present; rest != 0; rest &= rest - 1) {
    const Wait& wait = lanes[__builtin_ctz(rest)].wait;
    if (wait.mask != mask || wait.kind != kind) return false;
  }
  return true;
}

/// Gives each lane in the mask its result and makes it ready.
void ThreadBlock::complete(unsigned warp, std::uint32_t mask) {
  Thread* const lanes = &threads_[warp * kWarpSize];
  const std::uint32_t present = mask & warps_[warp].alive;
  warps_[warp].waiting &= ~present;

  std::array<std::uint64_t, kWarpSize> given{};
  std::uint32_t ballot = 0;
  for (std::uint32_t rest = present; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    given[lane] = lanes[lane].wait.value;
    if (given[lane] != 0) ballot |= 1u << lane;
  }

  const unsigned end = std::min<unsigned>((warp + 1) * kWarpSize, n_threads_);
  for (unsigned turn = warp * kWarpSize; turn < end; ++turn) {
    const unsigned thread = turns_.warp_threads[turn];
    const int lane = static_cast<int>(thread % kWarpSize);
    if (!contains(present, lane)) continue;
    Wait& wait = threads_[thread].wait;
    if (wait.kind == WaitKind::kBallot) {
      wait.value = std::uint64_t{present} << 32 | ballot;
    } else if (wait.kind == WaitKind::kMatch) {
      wait.value = 0;
      for (int other = 0; other < kWarpSize; ++other) {
        if (contains(present, other) && given[other] == given[lane]) wait.value |= 1u << other;
      }
    } else if (const int source = source_lane(wait, lane); contains(present, source)) {
      wait.value = given[source];  // an absent lane gives nothing: CUDA leaves the result undefined
    }
    make_ready(thread);
  }
}

}  // namespace waitless::simt
