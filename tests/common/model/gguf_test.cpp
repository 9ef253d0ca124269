// Guards common/model/gguf: what a valid file holds is what the reader returns.
#include "common/model/gguf.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "common/testing/gguf_writer.h"
#include "common/testing/random_model.h"
#include "common/testing/refuses.h"

namespace waitless {
namespace {

GgufWriter file_with_tensor(const Matrix& values) {
  GgufWriter file;
  file.tensors.push_back({"m",
                          {std::uint64_t(values.cols()), std::uint64_t(values.rows())},
                          0,
                          encode_weights(values, WeightType::kF32),
                          {}});
  return file;
}

// Guards the kinds of metadata.
TEST(Gguf, KeepsIntegersOfAllWidthsExactly) {
  // Oracle: by hand.
  GgufWriter file;
  file.set_raw("u8", 0, "\xff");
  file.set_raw("i8", 1, "\xff");
  file.set_raw("u16", 2, "\xff\xff");
  file.set_raw("i16", 3, "\xfe\xff");
  file.set("u32", std::uint32_t(4294967295));
  file.set("i32", std::int32_t(-7));
  file.set("u64", std::uint64_t(1) << 62);
  file.set("i64", std::int64_t(-1) << 62);
  const GgufFile read = parse_gguf(file.bytes());
  EXPECT_EQ(read.get<std::int64_t>("u8"), 255);
  EXPECT_EQ(read.get<std::int64_t>("i8"), -1);
  EXPECT_EQ(read.get<std::int64_t>("u16"), 65535);
  EXPECT_EQ(read.get<std::int64_t>("i16"), -2);
  EXPECT_EQ(read.get<std::int64_t>("u32"), 4294967295);
  EXPECT_EQ(read.get<std::int64_t>("i32"), -7);
  EXPECT_EQ(read.get<std::int64_t>("u64"), std::int64_t(1) << 62);
  EXPECT_EQ(read.get<std::int64_t>("i64"), std::int64_t(-1) << 62);
}

// Guards the kinds of metadata.
TEST(Gguf, KeepsNumbersBooleansStringsAndArrays) {
  // Oracle: by hand.
  GgufWriter file;
  file.set("f32", 0.25f);
  file.set("f64", 1e300);
  file.set("yes", true);
  file.set("text", "");
  file.set("texts", std::vector<std::string>{"a", "", "\xff"});
  file.set("ints", std::vector<std::int32_t>{1, -1});
  file.set("floats", std::vector<float>{0.5f});
  file.set("flags", std::vector<bool>{true, false});
  file.set("nothing", std::vector<std::string>{});
  const GgufFile read = parse_gguf(file.bytes());
  EXPECT_EQ(read.get<double>("f32"), 0.25);
  EXPECT_EQ(read.get<double>("f64"), 1e300);
  EXPECT_EQ(read.get<bool>("yes"), true);
  EXPECT_EQ(read.get<std::string>("text"), "");
  EXPECT_EQ(read.get<std::vector<std::string>>("texts"), (std::vector<std::string>{"a", "", "\xff"}));
  EXPECT_EQ(read.get<std::vector<std::int64_t>>("ints"), (std::vector<std::int64_t>{1, -1}));
  EXPECT_EQ(read.get<std::vector<double>>("floats"), std::vector<double>{0.5});
  EXPECT_EQ(read.get<std::vector<bool>>("flags"), (std::vector<bool>{true, false}));
  EXPECT_TRUE(read.get<std::vector<std::string>>("nothing").empty());
}

// Guards optional metadata.
TEST(Gguf, UsesTheOtherValueOnlyWhereAnEntryIsMissing) {
  GgufWriter file;
  file.set("present", std::uint32_t(3));
  const GgufFile read = parse_gguf(file.bytes());
  EXPECT_EQ(read.get_or<std::int64_t>("present", 5), 3);
  EXPECT_EQ(read.get_or<std::int64_t>("missing", 5), 5);
  EXPECT_TRUE(refuses([&] { read.get_or<bool>("present", true); }, "\"present\" is an integer, expected a boolean"));
}

// Guards both versions of the format.
TEST(Gguf, ReadsVersions2And3Alike) {
  for (const std::uint32_t version : {2, 3}) {
    GgufWriter file = file_with_tensor(random_matrix(3, 5));
    file.version = version;
    EXPECT_EQ(parse_gguf(file.bytes()).tensors().size(), 1u) << version;
  }
}

// Guards the order of dimensions.
TEST(Gguf, TakesTheFirstDimensionForTheColumns) {
  // Oracle: the matrix that was written.
  const Matrix values = random_matrix(3, 5);
  const GgufFile read = parse_gguf(file_with_tensor(values).bytes());
  const Weight weight = read.weight("m", WeightRole::kQuery, 7, 3, 5);
  EXPECT_EQ(weight.f32(), values);
  EXPECT_EQ(weight.role, WeightRole::kQuery);
  EXPECT_EQ(weight.layer, 7);
}

// Guards general.alignment.
TEST(Gguf, FindsTensorsAtTheAlignmentOfTheFile) {
  for (const std::uint32_t alignment : {8, 64, 4096}) {
    GgufWriter file = file_with_tensor(random_matrix(3, 5, 1));
    file.tensors.push_back(file.tensors[0]);
    file.tensors[1].name = "second";
    file.tensors[1].data = encode_weights(random_matrix(3, 5, 2), WeightType::kF32);
    file.alignment = alignment;
    file.set("general.alignment", alignment);
    const GgufFile read = parse_gguf(file.bytes());
    EXPECT_EQ(read.weight("second", WeightRole::kQuery, 0, 3, 5).f32(), random_matrix(3, 5, 2)) << alignment;
  }
}

// Guards the lifetime of mapped memory.
TEST(Gguf, KeepsTheMemoryOfAWeightWhenTheFileObjectIsGone) {
  // AddressSanitizer sees it if not.
  Weight weight;
  {
    const GgufFile read = parse_gguf(file_with_tensor(random_matrix(3, 5)).bytes());
    weight = read.weight("m", WeightRole::kQuery, 0, 3, 5);
  }
  EXPECT_EQ(weight.f32(), random_matrix(3, 5));
}

class GgufOnDisk : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "waitless_gguf_test";
};

// Guards the mapped file.
TEST_F(GgufOnDisk, GivesTheSameFromDiskAsFromMemory) {
  // Oracle: the reader of bytes in memory.
  file_with_tensor(random_matrix(3, 5)).save(folder_ / "m.gguf");
  const GgufFile read = GgufFile::open(folder_ / "m.gguf");
  EXPECT_EQ(read.weight("m", WeightRole::kQuery, 0, 3, 5).f32(), random_matrix(3, 5));
}

// Guards the release of expanded weights.
TEST_F(GgufOnDisk, CanStillReadAWeightAfterItsMemoryWasReleased) {
  file_with_tensor(random_matrix(300, 50)).save(folder_ / "m.gguf");
  const GgufFile read = GgufFile::open(folder_ / "m.gguf");
  const Weight weight = read.weight("m", WeightRole::kQuery, 0, 300, 50);
  read.release(weight);
  EXPECT_EQ(weight.f32(), random_matrix(300, 50));
}

// Guards the release of expanded weights: memory that is not a file's must not be given up.
TEST(Gguf, ReleasesNothingOfAFileInMemory) {
  const GgufFile read = parse_gguf(file_with_tensor(random_matrix(300, 50)).bytes());
  const Weight weight = read.weight("m", WeightRole::kQuery, 0, 300, 50);
  read.release(weight);
  EXPECT_EQ(weight.f32(), random_matrix(300, 50));
}

// Guards against files that cannot be read.
TEST_F(GgufOnDisk, RefusesAMissingFileByName) {
  EXPECT_TRUE(refuses([&] { GgufFile::open(folder_ / "nothing.gguf"); }, "nothing.gguf: there is no such file"));
}

// Guards against files that cannot be read.
TEST_F(GgufOnDisk, RefusesAnEmptyFile) {
  std::ofstream(folder_ / "empty.gguf").flush();
  EXPECT_TRUE(refuses([&] { GgufFile::open(folder_ / "empty.gguf"); }, "empty.gguf: the file is empty"));
}

// Guards against files that cannot be read.
TEST_F(GgufOnDisk, RefusesAFolder) {
  EXPECT_TRUE(refuses([&] { GgufFile::open(folder_); }, "is a folder"));
}

}  // namespace
}  // namespace waitless
