#pragma once

#include <cstdint>

namespace waitless::simt {

/// When a kernel counts as endless. The defaults come from the environment:
///   WAITLESS_SIMT_MAX_ACCESSES=1000000000   memory accesses of one launch
///   WAITLESS_SIMT_MAX_SECONDS=10            without any memory access, barrier or warp function
struct Limits {
  std::uint64_t n_accesses;
  double seconds;
};

const Limits& limits();

/// Takes effect at the next launch. Not to be called while a kernel runs.
void set_limits(const Limits& limits);

}  // namespace waitless::simt
