#pragma once

#include <bit>
#include <cstdint>

namespace waitless {

/// The value of an IEEE half: 1 sign, 5 exponent and 10 mantissa bits. Exact.
inline float half_to_float(std::uint16_t half) {
  // The exponent and mantissa moved to their places in a float make a number that is 2^112 times too small.
  const std::uint32_t magnitude = std::uint32_t(half & 0x7fff) << 13;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  if ((half & 0x7c00) == 0x7c00) bits |= 0x7f800000;  // infinity or NaN
  return std::bit_cast<float>(bits | std::uint32_t(half & 0x8000) << 16);
}

/// The value of a bfloat16: the upper half of a float. Exact.
inline float bfloat16_to_float(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t(bits) << 16); }

}  // namespace waitless
