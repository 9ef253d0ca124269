// Guards common/model/gguf, the list of tensors: a broken file gives one readable sentence and never a crash.
#include <gtest/gtest.h>

#include <limits>

#include "common/model/gguf.h"
#include "common/testing/gguf_writer.h"
#include "common/testing/refuses.h"

namespace waitless {
namespace {

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

/// A valid file: two F32 matrices, "a" and "b", of 4 rows of 32 numbers.
GgufWriter valid_file() {
  GgufWriter file;
  for (const char* name : {"a", "b"}) file.tensors.push_back({name, {32, 4}, 0, std::string(32 * 4 * 4, '\0'), {}});
  return file;
}

testing::AssertionResult refuses_file(const GgufWriter& file, const std::string& part) {
  return refuses([&] { parse_gguf(file.bytes(), "broken.gguf"); }, part);
}

// Guards the list of tensors.
TEST(BrokenTensors, WithATensorOfAnUnsupportedTypeIsRefusedByTheTypesName) {
  GgufWriter file = valid_file();
  file.tensor("a").type = 14;
  EXPECT_TRUE(refuses_file(file, "tensor \"a\" is of type Q6_K, which is not supported"));
  file.tensor("a").type = 12345;
  EXPECT_TRUE(refuses_file(file, "tensor \"a\" is of type number 12345, which is not supported"));
}

// Guards the list of tensors.
TEST(BrokenTensors, WithATensorOfNoneOrFiveDimensionsIsRefused) {
  for (const std::size_t n : {0, 5}) {
    GgufWriter file = valid_file();
    file.tensor("a").shape.assign(n, 1);
    EXPECT_TRUE(refuses_file(file, "tensor \"a\" has " + std::to_string(n) + " dimensions"));
  }
}

// Guards the list of tensors.
TEST(BrokenTensors, WithADimensionOfZeroOrBeyond63BitsIsRefused) {
  for (const std::uint64_t size : {std::uint64_t(0), std::uint64_t(1) << 63, kHuge}) {
    GgufWriter file = valid_file();
    file.tensor("a").shape = {32, size};
    EXPECT_TRUE(refuses_file(file, "tensor \"a\" has a dimension of size " + std::to_string(size)));
  }
}

// Guards products of dimensions against overflow: 2^32 * 2^32 is 0 in 64 bits.
TEST(BrokenTensors, WithDimensionsWhoseProductOverflowsIsRefused) {
  constexpr std::uint64_t k32 = std::uint64_t(1) << 32, k62 = std::uint64_t(1) << 62;
  for (const auto& shape :
       {std::vector<std::uint64_t>{k32, k32}, {k62, 4}, {k62, 2}, {1, k32, k32}, {k62, k62, k62, k62}}) {
    GgufWriter file = valid_file();
    file.tensor("a").shape = shape;
    EXPECT_TRUE(refuses_file(file, "is larger than the whole file"));
  }
}

// Guards the blocks of quantized types.
TEST(BrokenTensors, WithRowsThatAreNotWholeBlocksIsRefused) {
  for (const WeightType type : {WeightType::kQ4_0, WeightType::kQ4_1, WeightType::kQ8_0}) {
    GgufWriter file = valid_file();
    file.tensor("a").shape = {33, 4};
    file.tensor("a").type = std::uint32_t(type);
    EXPECT_TRUE(refuses_file(file, "rows of 33 numbers, which is not a multiple of 32"));
  }
}

// Guards offsets.
TEST(BrokenTensors, WithATensorThatEndsBehindTheFileIsRefused) {
  for (const std::uint64_t offset : {std::uint64_t(1024), std::uint64_t(1) << 40, kHuge - 31, kHuge / 2 - 31}) {
    GgufWriter file = valid_file();
    file.tensor("b").offset = offset;
    EXPECT_TRUE(refuses_file(file, "tensor \"b\" takes 512 bytes from offset " + std::to_string(offset)));
  }
}

// Guards offsets.
TEST(BrokenTensors, WithATensorOffItsAlignmentIsRefused) {
  GgufWriter file = valid_file();
  file.tensor("a").offset = 4;
  EXPECT_TRUE(refuses_file(file, "offset 4, which is not a multiple of the alignment 32"));
}

// Guards offsets.
TEST(BrokenTensors, WithTensorsThatOverlapIsRefused) {
  GgufWriter file = valid_file();
  file.tensor("b").offset = 480;
  EXPECT_TRUE(refuses_file(file, "tensors \"a\" and \"b\" overlap"));
  file.tensor("b").offset = 0;
  EXPECT_TRUE(refuses_file(file, "overlap"));
}

// Guards general.alignment.
TEST(BrokenTensors, WithAnAlignmentThatIsNoPowerOfTwoOrTooSmallIsRefused) {
  for (const std::uint32_t alignment : {0u, 1u, 4u, 24u, 33u, 0xffffffffu}) {
    GgufWriter file = valid_file();
    file.set("general.alignment", alignment);
    EXPECT_TRUE(refuses_file(file, "has an alignment of " + std::to_string(alignment)));
  }
}

// Guards general.alignment.
TEST(BrokenTensors, WithAnAlignmentLargerThanTheFileIsRefused) {
  GgufWriter file = valid_file();
  file.set("general.alignment", std::uint32_t(1) << 31);
  EXPECT_TRUE(refuses_file(file, "the file may be truncated"));
}

// Guards general.alignment.
TEST(BrokenTensors, WithAnAlignmentThatIsNoIntegerIsRefused) {
  GgufWriter file = valid_file();
  file.set("general.alignment", "32");
  EXPECT_TRUE(refuses_file(file, "\"general.alignment\" is not an integer"));
}

// Guards the shapes of weights.
TEST(BrokenTensors, WithATensorOfAnotherShapeIsRefusedWhereItIsUsed) {
  const GgufFile file = parse_gguf(valid_file().bytes());
  EXPECT_TRUE(refuses([&] { file.weight("a", WeightRole::kQuery, 0, 32, 4); },
                      "tensor \"a\" has the shape [32, 4], expected [4, 32]"));
  EXPECT_TRUE(refuses([&] { file.weight("a", WeightRole::kQuery, 0, 1, 32); }, "expected [32]"));
}

// Guards against missing tensors.
TEST(BrokenTensors, WithoutATensorIsRefusedWhereItIsUsed) {
  const GgufFile file = parse_gguf(valid_file().bytes());
  EXPECT_TRUE(refuses([&] { file.weight("c", WeightRole::kQuery, 0, 4, 32); }, "lacks the tensor \"c\""));
}

}  // namespace
}  // namespace waitless
