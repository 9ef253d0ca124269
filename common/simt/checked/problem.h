#pragma once

#include <cstddef>
#include <cstdint>

#include "common/simt/checked/requests.h"
#include "common/simt/device/vector_types.h"
#include "common/simt/wait.h"

namespace waitless::simt::checked {

/// Kinds of memory as a kernel sees them.
enum class Region : std::uint8_t { kDevice, kStaticShared, kDynamicShared, kVariable, kNone };

enum class ProblemKind : std::uint8_t {
  kOutOfBounds,
  kFreed,
  kMisaligned,
  kNotOnDevice,
  kLocalOfAnotherThread,
  kUninitialised,
  kRace,
  kIndex,            // of a local or shared array, beyond its declared size
  kBarrierSites,     // threads of a block wait at different barriers
  kBarrierSkipped,   // a thread never came
  kMaskLacksCaller,  // a warp function whose mask does not name the caller
  kAbsentLane,       // a shuffle reads from a lane that does not take part
  kTooManyAccesses,
  kNoProgress,
};

/// A thread and what it did, as far as it is known.
struct Party {
  uint3 block;
  unsigned thread;  // linear index
  Direction direction;
  const void* code;  // the address after the access
};

/// What is noted about a fault in a kernel at the moment it is found, on the stack of a CUDA thread. It becomes a
/// sentence when the thread block has been given up.
struct Problem {
  ProblemKind kind;
  Party party;
  Party other;  // kRace
  Region region;
  const void* address;
  std::size_t offset;        // in the region's allocation, or in shared memory
  std::uint32_t allocation;  // kDevice: the one that contains the address, or lies before it; 0 if none
  unsigned size;
  // Waits, and kIndex.
  const char* file;
  int line;
  const char* other_file;
  int other_line;
  WaitKind wait;
  int lane;
  bool lane_has_exited;
  const char* type;
  long long index;
};

}  // namespace waitless::simt::checked
