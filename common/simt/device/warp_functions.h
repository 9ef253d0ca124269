#pragma once

/// What the lanes of a warp do together. Each call takes a mask of the lanes that make it; lanes that have exited are
/// not waited for. Reading from a lane outside the mask gives the caller's own value here, anything on a GPU.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "common/simt/current.h"
#include "common/simt/wait.h"

namespace waitless::simt {

/// Shuffles take what CUDA's overloads take: numbers; those smaller than int become int.
template <class T>
concept Shuffled = std::is_arithmetic_v<T>;

template <class T>
__forceinline__ std::uint64_t to_bits(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <Shuffled T>
__forceinline__ auto shuffle(WaitKind kind, unsigned mask, T value, int operand, int width, const char* file,
                             int line) {
  using Result = decltype(+value);
  static_assert(sizeof(Result) <= 8);
  const std::uint64_t bits = wait_for_warp(
      {kind, static_cast<std::uint8_t>(width), mask, to_bits(static_cast<Result>(value)), operand, line, file});
  Result result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

/// @return the lanes whose predicate is not 0 in the low half, the lanes that took part in the high half
__forceinline__ std::uint64_t vote(unsigned mask, bool predicate, const char* file, int line) {
  return wait_for_warp({WaitKind::kBallot, 32, mask, predicate, 0, line, file});
}

}  // namespace waitless::simt

#define WAITLESS_SIMT_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()

__forceinline__ void __syncwarp(unsigned mask = 0xffffffffu, WAITLESS_SIMT_SITE) {
  using namespace waitless::simt;
  wait_for_warp({WaitKind::kSyncWarp, 32, mask, 0, 0, line, file});
}

/// The value of lane source_lane of the segment of `width` lanes.
template <waitless::simt::Shuffled T>
__forceinline__ auto __shfl_sync(unsigned mask, T value, int source_lane, int width = 32, WAITLESS_SIMT_SITE) {
  using namespace waitless::simt;
  return shuffle(WaitKind::kShuffle, mask, value, source_lane, width, file, line);
}

/// The value of the lane `distance` below, or the lane's own if there is none in the segment.
template <waitless::simt::Shuffled T>
__forceinline__ auto __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32, WAITLESS_SIMT_SITE) {
  using namespace waitless::simt;
  return shuffle(WaitKind::kShuffleUp, mask, value, static_cast<int>(distance), width, file, line);
}

/// The value of the lane `distance` above, or the lane's own if there is none in the segment.
template <waitless::simt::Shuffled T>
__forceinline__ auto __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32, WAITLESS_SIMT_SITE) {
  using namespace waitless::simt;
  return shuffle(WaitKind::kShuffleDown, mask, value, static_cast<int>(distance), width, file, line);
}

/// The value of lane (own lane ^ lane_mask).
template <waitless::simt::Shuffled T>
__forceinline__ auto __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, WAITLESS_SIMT_SITE) {
  using namespace waitless::simt;
  return shuffle(WaitKind::kShuffleXor, mask, value, lane_mask, width, file, line);
}

/// Bit l is set if lane l takes part and its predicate is not 0.
__forceinline__ unsigned __ballot_sync(unsigned mask, int predicate, WAITLESS_SIMT_SITE) {
  return static_cast<unsigned>(waitless::simt::vote(mask, predicate != 0, file, line));
}

__forceinline__ int __any_sync(unsigned mask, int predicate, WAITLESS_SIMT_SITE) {
  return static_cast<unsigned>(waitless::simt::vote(mask, predicate != 0, file, line)) != 0;
}

__forceinline__ int __all_sync(unsigned mask, int predicate, WAITLESS_SIMT_SITE) {
  const std::uint64_t votes = waitless::simt::vote(mask, predicate != 0, file, line);
  return static_cast<unsigned>(votes) == static_cast<unsigned>(votes >> 32);
}

/// The lanes whose value has the same bits as the caller's.
template <waitless::simt::Shuffled T>
__forceinline__ unsigned __match_any_sync(unsigned mask, T value, WAITLESS_SIMT_SITE) {
  using namespace waitless::simt;
  return static_cast<unsigned>(wait_for_warp({WaitKind::kMatch, 32, mask, to_bits(value), 0, line, file}));
}

/// The lanes that run together with the caller. CUDA promises no more than the caller itself, and that is the answer
/// here: a program that needs more lanes must name them in a mask.
__forceinline__ unsigned __activemask() { return 1u << (waitless::simt::current.thread.linear % 32); }

#undef WAITLESS_SIMT_SITE
