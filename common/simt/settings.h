#pragma once

#include <cstdint>

namespace waitless::simt {

/// The order in which the threads of a thread block, and the thread blocks of a grid, get their turn. CUDA promises
/// none, so a correct program gives the same result in all of them.
enum class ThreadOrder { kForward, kReverse, kRandom };

/// How launches run. The defaults come from the environment:
///   WAITLESS_SIMT_WORKERS=4                        OS threads that run thread blocks (default: cores, at most 16)
///   WAITLESS_SIMT_ORDER=forward|reverse|random:7   with the seed of the random order
struct Settings {
  int n_workers;
  ThreadOrder order;
  std::uint64_t seed;
};

const Settings& settings();

/// Takes effect at the next launch. Not to be called while a kernel runs.
/// @throws std::invalid_argument unless 1 <= n_workers <= 256
void set_settings(const Settings& settings);

}  // namespace waitless::simt
