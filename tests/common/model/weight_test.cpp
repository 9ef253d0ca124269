// Guards common/model/weight: the layouts of the types and their expansion.
#include "common/model/weight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "common/model/float16.h"
#include "common/testing/compare.h"
#include "common/testing/gguf_writer.h"
#include "common/testing/random_model.h"

namespace waitless {
namespace {

constexpr WeightType kAllTypes[] = {WeightType::kF32,  WeightType::kF16,  WeightType::kBF16,
                                    WeightType::kQ8_0, WeightType::kQ4_0, WeightType::kQ4_1};

Weight weight_of(WeightType type, Index rows, Index cols, std::string bytes) {
  const auto owner = std::make_shared<std::string>(std::move(bytes));
  Weight w;
  w.type = type;
  w.rows = rows;
  w.cols = cols;
  w.data = reinterpret_cast<const std::byte*>(owner->data());
  w.owner = owner;
  return w;
}

std::vector<float> expanded_row(const Weight& w, Index row = 0) {
  std::vector<float> out(std::size_t(w.cols));
  expand_row(w, row, out);
  return out;
}

// Guards Q8_0: a half scale, then 32 signed bytes.
TEST(Weight, ExpandsABlockOfQ8_0) {
  // Oracle: by hand. 0x3800 is 0.5.
  std::string block = {'\x00', '\x38'};
  for (int i = 0; i < 32; ++i) block += char(i == 31 ? -128 : i);
  const auto out = expanded_row(weight_of(WeightType::kQ8_0, 1, 32, block));
  EXPECT_EQ(out[0], 0.0f);
  EXPECT_EQ(out[3], 1.5f);
  EXPECT_EQ(out[31], -64.0f);
}

// Guards Q4_0: a half scale, then 16 bytes with numbers i (low half) and i + 16 (high half), offset by 8.
TEST(Weight, ExpandsABlockOfQ4_0) {
  // Oracle: by hand. 0x4000 is 2.
  std::string block = {'\x00', '\x40'};
  for (int i = 0; i < 16; ++i) block += char(i | (15 - i) << 4);
  const auto out = expanded_row(weight_of(WeightType::kQ4_0, 1, 32, block));
  EXPECT_EQ(out[0], -16.0f);
  EXPECT_EQ(out[15], 14.0f);
  EXPECT_EQ(out[16], 14.0f);
  EXPECT_EQ(out[31], -16.0f);
  EXPECT_EQ(out[1], -14.0f);
}

// Guards Q4_1: half scale and minimum, then 16 bytes as in Q4_0, without the offset.
TEST(Weight, ExpandsABlockOfQ4_1) {
  // Oracle: by hand. 0x4000 is 2, 0xBC00 is -1.
  std::string block = {'\x00', '\x40', '\x00', '\xBC'};
  for (int i = 0; i < 16; ++i) block += char(i | (15 - i) << 4);
  const auto out = expanded_row(weight_of(WeightType::kQ4_1, 1, 32, block));
  EXPECT_EQ(out[0], -1.0f);
  EXPECT_EQ(out[15], 29.0f);
  EXPECT_EQ(out[16], 29.0f);
  EXPECT_EQ(out[31], -1.0f);
}

// Guards the conversion of halves.
TEST(Weight, ConvertsEveryHalfExactly) {
  // Oracle: the definition, sign * 2^(exponent - 15) * (1 + mantissa / 1024), in double precision.
  for (int half = 0; half < 0x10000; ++half) {
    const int exponent = half >> 10 & 31, mantissa = half & 1023;
    const float got = half_to_float(std::uint16_t(half));
    EXPECT_EQ(std::signbit(got), half >= 0x8000);
    if (exponent == 31) {
      EXPECT_EQ(std::isnan(got), mantissa != 0);
      EXPECT_EQ(std::isinf(got), mantissa == 0);
    } else {
      const double magnitude =
          exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1 + mantissa / 1024.0, exponent - 15);
      EXPECT_EQ(double(std::abs(got)), magnitude);
    }
  }
}

// Guards bfloat16.
TEST(Weight, ConvertsABfloat16ToTheFloatWithTheSameUpperHalf) {
  EXPECT_EQ(bfloat16_to_float(0x3f80), 1.0f);
  EXPECT_EQ(bfloat16_to_float(0xc2f7), -123.5f);
}

// Guards every type at once, and rows that are several blocks long.
TEST(Weight, ExpandsEveryTypeToWithinItsRounding) {
  // Oracle: the numbers before encoding. Halves round by 2^-11, bfloat16 by 2^-8, Q8_0 by half a step of 1/127 of the
  // largest, Q4_1 by half of 1/15 of the range; Q4_0 by a whole step of 1/8, because it clips one end.
  const Matrix values = random_matrix(31, 96);
  for (const auto& [type, tolerance] : {std::pair(WeightType::kF32, 0.0),
                                        {WeightType::kF16, 0x1p-11},
                                        {WeightType::kBF16, 0x1p-8},
                                        {WeightType::kQ8_0, 0.51 / 127 + 0x1p-11},
                                        {WeightType::kQ4_0, 1.01 / 8},
                                        {WeightType::kQ4_1, 1.01 / 15}}) {
    const Weight w = weight_of(type, 31, 96, encode_weights(values, type));
    EXPECT_TRUE(near(values, expand(w).f32(), tolerance)) << find_format(type)->name;
  }
}

// Guards the parallel expansion.
TEST(Weight, ExpandsAllRowsAsItExpandsOne) {
  // Oracle: expand_row.
  for (const WeightType type : kAllTypes) {
    const Weight w = weight_of(type, 33, 64, encode_weights(random_matrix(33, 64), type));
    const Weight all = expand(w);
    for (Index row = 0; row < w.rows; ++row) EXPECT_EQ(expanded_row(w, row), expanded_row(all, row));
  }
}

// Guards expansion of what is F32 already.
TEST(Weight, ExpandsF32WithoutACopy) {
  const Weight w = make_weight(random_matrix(3, 5));
  EXPECT_EQ(expand(w).data, w.data);
}

// Guards the sizes that bandwidth is computed from.
TEST(Weight, CountsTheBytesOfItsBlocks) {
  // Oracle: bits a number in each format: 32, 16, 16, 8.5, 4.5, 5.
  const double bits[] = {32, 16, 16, 8.5, 4.5, 5};
  for (int i = 0; i < 6; ++i) {
    Weight w;
    w.type = kAllTypes[i];
    w.rows = 3;
    w.cols = 64;
    EXPECT_EQ(double(w.bytes()), 3 * 64 * bits[i] / 8);
  }
}

// Guards the check for numbers that are not finite.
TEST(Weight, FindsTheFirstRowThatIsNotFinite) {
  for (const float bad : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()}) {
    for (const WeightType type : {WeightType::kF32, WeightType::kF16, WeightType::kBF16}) {
      Matrix values = random_matrix(33, 7);
      EXPECT_EQ(find_non_finite_row(weight_of(type, 33, 7, encode_weights(values, type))), -1);
      values(20, 6) = values(31, 0) = bad;
      EXPECT_EQ(find_non_finite_row(weight_of(type, 33, 7, encode_weights(values, type))), 20);
    }
  }
}

// Guards the check for numbers that are not finite, in blocks: a scale or a minimum spoils the whole block.
TEST(Weight, FindsABlockWhoseScaleIsNotFinite) {
  struct Case {
    WeightType type;
    std::size_t at;  // byte of the block in which the half's exponent lies
  };
  for (const Case c :
       {Case{WeightType::kQ8_0, 1}, {WeightType::kQ4_0, 1}, {WeightType::kQ4_1, 1}, {WeightType::kQ4_1, 3}}) {
    std::string bytes = encode_weights(random_matrix(3, 64), c.type);
    const std::size_t block = std::size_t(find_format(c.type)->bytes);
    bytes[5 * block + c.at] = '\x7c';  // the second block of row 2
    EXPECT_EQ(find_non_finite_row(weight_of(c.type, 3, 64, bytes)), 2);
  }
}

// Guards access to the numbers of a weight.
TEST(Weight, GivesItsNumbersOnlyIfItIsF32) {
  const Weight w = weight_of(WeightType::kQ8_0, 1, 32, std::string(34, '\0'));
  try {
    w.f32();
    FAIL() << "no error";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("Q8_0"), std::string::npos) << error.what();
  }
}

// Guards the arguments of expand_row.
TEST(Weight, RefusesARowThatItDoesNotHaveAndAnOutputOfAnotherLength) {
  const Weight w = make_weight(random_matrix(3, 5));
  std::vector<float> five(5), four(4);
  EXPECT_THROW(expand_row(w, 3, five), std::invalid_argument);
  EXPECT_THROW(expand_row(w, -1, five), std::invalid_argument);
  EXPECT_THROW(expand_row(w, 0, four), std::invalid_argument);
}

// Guards copies of weights.
TEST(Weight, SharesItsMemoryWithItsCopies) {
  // AddressSanitizer sees it if the memory is gone.
  Weight copy;
  {
    const Weight w = make_weight(random_matrix(3, 5));
    copy = w;
  }
  EXPECT_EQ(copy.f32(), random_matrix(3, 5));
}

}  // namespace
}  // namespace waitless
