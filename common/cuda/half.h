#pragma once

#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define WAITLESS_HOST_DEVICE __host__ __device__
#elif defined(WAITLESS_SIMT_CHECKED)  // a copy of the function outside of the kernel might be without checks
#define WAITLESS_HOST_DEVICE __attribute__((always_inline))
#else
#define WAITLESS_HOST_DEVICE
#endif

/// 16-bit floating-point numbers that all compilers of the course understand. They store; arithmetic is done in float.
/// Conversions from float round to nearest, ties to even; numbers too large become infinity, NaN stays NaN.

namespace waitless {

/// IEEE 754 binary16: 5 bits of exponent, 10 of fraction; largest number 65504, smallest 2^-24.
struct half_t {
  std::uint16_t bits;

  half_t() = default;
  WAITLESS_HOST_DEVICE explicit half_t(float value);
  WAITLESS_HOST_DEVICE operator float() const;
};

/// The upper half of a float (bfloat16): its range, with 7 bits of fraction.
struct bf16_t {
  std::uint16_t bits;

  bf16_t() = default;
  WAITLESS_HOST_DEVICE explicit bf16_t(float value);
  WAITLESS_HOST_DEVICE operator float() const;
};

namespace half_detail {

WAITLESS_HOST_DEVICE inline std::uint32_t float_bits(float value) {
  std::uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

WAITLESS_HOST_DEVICE inline float float_from_bits(std::uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// Drops the lowest n bits, rounding to nearest, ties to even. A carry into the exponent is what it should be.
WAITLESS_HOST_DEVICE inline std::uint32_t round_off(std::uint32_t bits, int n) {
  return (bits + (1u << (n - 1)) - 1 + (bits >> n & 1)) >> n;
}

constexpr std::uint32_t kFloatInfinity = 0x7f800000;

}  // namespace half_detail

WAITLESS_HOST_DEVICE inline half_t::half_t(float value) {
#if defined(__CUDA_ARCH__)
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
#else
  using namespace half_detail;
  constexpr std::uint32_t kSmallestNormal = (127 - 14) << 23;  // 2^-14
  const std::uint32_t sign = float_bits(value) >> 16 & 0x8000;
  const std::uint32_t magnitude = float_bits(value) & 0x7fffffff;
  if (magnitude > kFloatInfinity) {
    bits = static_cast<std::uint16_t>(0x7fff);
  } else if (magnitude >= 0x47800000) {  // 2^16
    bits = static_cast<std::uint16_t>(sign | 0x7c00);
  } else if (magnitude >= kSmallestNormal) {
    bits = static_cast<std::uint16_t>(sign | round_off(magnitude - ((127 - 15) << 23), 13));
  } else {
    // Adding 0.5 makes the processor round to multiples of 2^-24, the last bit of 0.5's fraction.
    const std::uint32_t rounded = float_bits(float_from_bits(magnitude) + 0.5f);
    bits = static_cast<std::uint16_t>(sign | (rounded - float_bits(0.5f)));
  }
#endif
}

WAITLESS_HOST_DEVICE inline half_t::operator float() const {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
#else
  using namespace half_detail;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fff) << 13;
  if (magnitude >= 0x7c00u << 13) return float_from_bits(sign | kFloatInfinity | magnitude);
  // The exponent's bias differs by 112; the multiplication also makes denormals normal.
  return float_from_bits(sign | float_bits(float_from_bits(magnitude) * 0x1p112f));
#endif
}

WAITLESS_HOST_DEVICE inline bf16_t::bf16_t(float value) {
  using namespace half_detail;
  const std::uint32_t all = float_bits(value);
  const bool is_nan = (all & 0x7fffffff) > kFloatInfinity;
  bits = static_cast<std::uint16_t>(is_nan ? 0x7fff : round_off(all, 16));
}

WAITLESS_HOST_DEVICE inline bf16_t::operator float() const {
  return half_detail::float_from_bits(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace waitless
