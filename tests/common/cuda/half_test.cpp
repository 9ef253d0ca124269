#include "common/cuda/half.h"

#include <cmath>
#include <limits>

#include "common/testing/cuda_test.h"
#include "tests/common/cuda/half_kernels.h"

namespace waitless {
namespace {

/// A 16-bit format, and its conversions under test.
struct Format {
  const char* name;
  int exponent_bits, fraction_bits;
  std::vector<float> (*to_float)(const std::vector<std::uint16_t>&);
  std::vector<std::uint16_t> (*from_float)(const std::vector<float>&);
};

template <class Number>
std::vector<float> to_float_on_host(const std::vector<std::uint16_t>& bits) {
  std::vector<float> values;
  for (const std::uint16_t b : bits) {
    Number number;
    number.bits = b;
    values.push_back(number);
  }
  return values;
}

template <class Number>
std::vector<std::uint16_t> from_float_on_host(const std::vector<float>& values) {
  std::vector<std::uint16_t> bits;
  for (const float value : values) bits.push_back(Number(value).bits);
  return bits;
}

const Format kHostHalf = {"half_t", 5, 10, to_float_on_host<half_t>, from_float_on_host<half_t>};
const Format kHostBf16 = {"bf16_t", 8, 7, to_float_on_host<bf16_t>, from_float_on_host<bf16_t>};
const Format kDeviceHalf = {"half_t on the device", 5, 10, half_to_float_on_device, float_to_half_on_device};
const Format kDeviceBf16 = {"bf16_t on the device", 8, 7, bf16_to_float_on_device, float_to_bf16_on_device};

/// The value of a 16-bit number, from the definition of the format: the oracle of this file.
double value_of(const Format& format, unsigned bits) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>(bits & 0x7fff) >> format.fraction_bits;
  const int fraction = static_cast<int>(bits) & ((1 << format.fraction_bits) - 1);
  if (exponent == (1 << format.exponent_bits) - 1) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - format.fraction_bits);
  return sign * std::ldexp((1 << format.fraction_bits) + fraction, exponent - bias - format.fraction_bits);
}

void expect_exact_values(const Format& format) {
  SCOPED_TRACE(format.name);
  std::vector<std::uint16_t> all(65536);
  for (unsigned bits = 0; bits < 65536; ++bits) all[bits] = static_cast<std::uint16_t>(bits);
  const std::vector<float> values = format.to_float(all);
  const std::vector<std::uint16_t> back = format.from_float(values);
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const double expected = value_of(format, bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(values[bits])) << bits;
      ASSERT_TRUE(std::isnan(value_of(format, back[bits]))) << bits;
    } else {
      ASSERT_EQ(values[bits], expected) << bits;
      ASSERT_EQ(std::signbit(values[bits]), (bits & 0x8000) != 0) << bits;
      ASSERT_EQ(back[bits], bits);
    }
  }
}

/// Between each number and the next larger one lie three interesting floats: the middle and its neighbours. The number
/// after the largest counts as the power of two that would follow; it stands for infinity.
void expect_nearest_even(const Format& format) {
  SCOPED_TRACE(format.name);
  const unsigned infinity = ((1u << format.exponent_bits) - 1) << format.fraction_bits;
  std::vector<float> values;
  std::vector<unsigned> expected;
  for (const unsigned sign : {0u, 0x8000u}) {
    for (unsigned bits = 0; bits < infinity; ++bits) {
      const int bias = (1 << (format.exponent_bits - 1)) - 1;
      const double here = value_of(format, bits);
      const double next = bits + 1 == infinity ? std::ldexp(1.0, bias + 1) : value_of(format, bits + 1);
      const float middle = static_cast<float>((here + next) / 2);  // exact: a float has more bits
      const float scale = sign != 0 ? -1.0f : 1.0f;
      values.insert(values.end(), {scale * std::nextafter(middle, 0.0f), scale * middle,
                                   scale * std::nextafter(middle, std::numeric_limits<float>::infinity())});
      const unsigned even = bits % 2 == 0 ? bits : bits + 1;
      expected.insert(expected.end(), {sign | bits, sign | even, sign | (bits + 1)});
    }
  }
  const std::vector<std::uint16_t> rounded = format.from_float(values);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(rounded[i], expected[i]) << values[i];
}

void expect_special_values(const Format& format) {
  SCOPED_TRACE(format.name);
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float largest = std::numeric_limits<float>::max(), smallest = std::numeric_limits<float>::denorm_min();
  const std::vector<std::uint16_t> bits =
      format.from_float({infinity, -infinity, largest, -largest, smallest, -smallest, nan, -nan});
  const unsigned infinite = ((1u << format.exponent_bits) - 1) << format.fraction_bits;
  EXPECT_EQ(bits[0], infinite);
  EXPECT_EQ(bits[1], 0x8000 | infinite);
  EXPECT_EQ(bits[2], infinite);
  EXPECT_EQ(bits[3], 0x8000 | infinite);
  EXPECT_EQ(bits[4], 0);
  EXPECT_EQ(bits[5], 0x8000);
  EXPECT_TRUE(std::isnan(value_of(format, bits[6])));
  EXPECT_TRUE(std::isnan(value_of(format, bits[7])));
}

// Guards the conversions of all 65,536 numbers to float and back, on the host.
TEST(SixteenBitNumbers, ConvertToFloatExactlyAndBack) {
  expect_exact_values(kHostHalf);
  expect_exact_values(kHostBf16);
}

// Guards rounding at each boundary between two numbers, on the host.
TEST(SixteenBitNumbers, RoundToNearestTiesToEven) {
  expect_nearest_even(kHostHalf);
  expect_nearest_even(kHostBf16);
}

// Guards infinity, overflow, underflow and NaN, on the host.
TEST(SixteenBitNumbers, KeepSpecialValues) {
  expect_special_values(kHostHalf);
  expect_special_values(kHostBf16);
}

class SixteenBitNumbersOnTheDevice : public CudaTest {};

// Guards the same in kernels, where a GPU has instructions for it.
TEST_F(SixteenBitNumbersOnTheDevice, AreThoseOfTheHost) {
  for (const Format& format : {kDeviceHalf, kDeviceBf16}) {
    expect_exact_values(format);
    expect_nearest_even(format);
    expect_special_values(format);
  }
}

}  // namespace
}  // namespace waitless
