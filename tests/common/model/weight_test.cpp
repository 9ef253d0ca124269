// Guards common/model/weight: the layouts of the types and their expansion.
#include "common/model/weight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "common/testing/compare.h"
#include "common/testing/gguf_writer.h"
#include "common/testing/random_model.h"
#include "tests/common/model/random_blocks.h"

namespace waitless {
namespace {

constexpr WeightType kAllTypes[] = {WeightType::kF32,  WeightType::kF16,  WeightType::kBF16,
                                    WeightType::kQ8_0, WeightType::kQ4_0, WeightType::kQ4_1};

/// Random values in any type that files use.
Weight random_weight(WeightType type, Index rows, Index cols) {
  if (find_format(type)->values == 32) return random_blocks(type, rows, cols).weight;
  return stored_as(type)(make_weight(random_matrix(rows, cols)));
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
  const auto out = expanded_row(weight_of_bytes(WeightType::kQ8_0, 1, 32, block));
  EXPECT_EQ(out[0], 0.0f);
  EXPECT_EQ(out[3], 1.5f);
  EXPECT_EQ(out[31], -64.0f);
}

// Guards Q4_0: a half scale, then 16 bytes with numbers i (low half) and i + 16 (high half), offset by 8.
TEST(Weight, ExpandsABlockOfQ4_0) {
  // Oracle: by hand. 0x4000 is 2.
  std::string block = {'\x00', '\x40'};
  for (int i = 0; i < 16; ++i) block += char(i | (15 - i) << 4);
  const auto out = expanded_row(weight_of_bytes(WeightType::kQ4_0, 1, 32, block));
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
  const auto out = expanded_row(weight_of_bytes(WeightType::kQ4_1, 1, 32, block));
  EXPECT_EQ(out[0], -1.0f);
  EXPECT_EQ(out[15], 29.0f);
  EXPECT_EQ(out[16], 29.0f);
  EXPECT_EQ(out[31], -1.0f);
}

// Guards the types of one value a block.
TEST(Weight, ExpandsEveryFloatTypeToWithinItsRounding) {
  // Oracle: the values before encoding. Halves round by 2^-11, bfloat16 by 2^-8.
  const Matrix values = random_matrix(31, 96);
  for (const auto& [type, tolerance] :
       {std::pair(WeightType::kF32, 0.0), {WeightType::kF16, 0x1p-11}, {WeightType::kBF16, 0x1p-8}}) {
    const Weight w = weight_of_bytes(type, 31, 96, encode_weights(values, type));
    EXPECT_TRUE(near(values, expand(w).f32(), tolerance)) << find_format(type)->name;
  }
}

// Guards the types of 32 values a block, and rows that are several blocks long.
TEST(Weight, ExpandsEveryBlockTypeExactly) {
  // Oracle: scale times code in double precision, where the blocks are made.
  for (const WeightType type : {WeightType::kQ8_0, WeightType::kQ4_0, WeightType::kQ4_1}) {
    const RandomBlocks blocks = random_blocks(type, 31, 96);
    EXPECT_EQ(expand(blocks.weight).f32(), blocks.values) << find_format(type)->name;
  }
}

// Guards the parallel expansion.
TEST(Weight, ExpandsAllRowsAsItExpandsOne) {
  // Oracle: expand_row.
  for (const WeightType type : kAllTypes) {
    const Weight w = random_weight(type, 33, 64);
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
    w.format = find_format(kAllTypes[i]);
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
      EXPECT_EQ(find_non_finite_row(weight_of_bytes(type, 33, 7, encode_weights(values, type))), -1);
      values(20, 6) = values(31, 0) = bad;
      EXPECT_EQ(find_non_finite_row(weight_of_bytes(type, 33, 7, encode_weights(values, type))), 20);
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
    const Weight good = random_weight(c.type, 3, 64);
    std::string bytes(reinterpret_cast<const char*>(good.data), std::size_t(good.bytes()));
    const std::size_t block = std::size_t(good.format->bytes);
    bytes[5 * block + c.at] = '\x7c';  // the second block of row 2
    EXPECT_EQ(find_non_finite_row(weight_of_bytes(c.type, 3, 64, bytes)), 2);
  }
}

// Guards access to the numbers of a weight.
TEST(Weight, GivesItsNumbersOnlyIfItIsF32) {
  const Weight w = weight_of_bytes(WeightType::kQ8_0, 1, 32, std::string(34, '\0'));
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
