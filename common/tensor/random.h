#pragma once

#include <cstdint>
#include <random>

namespace waitless {

/// Seeded uniform draws that are the same on every platform, bit for bit: the generator is specified by the C++
/// standard, and the step from its 64 bits to a double is written out here (the standard's distributions differ
/// between libraries).
class Random {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return double(generator_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 generator_;
};

}  // namespace waitless
