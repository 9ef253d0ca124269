// Guards common/model/gguf, header and metadata: a broken file gives one readable sentence and never a crash.
#include <gtest/gtest.h>

#include <limits>

#include "common/model/gguf.h"
#include "common/testing/gguf_writer.h"
#include "common/testing/refuses.h"

namespace waitless {
namespace {

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

/// A valid file: a few metadata entries and two F32 matrices, "a" and "b", of 4 rows of 32 numbers.
GgufWriter valid_file() {
  GgufWriter file;
  file.set("name", "a small file");
  file.set("number", std::uint32_t(3));
  file.set("list", std::vector<std::string>{"one", "two"});
  for (const char* name : {"a", "b"}) file.tensors.push_back({name, {32, 4}, 0, std::string(32 * 4 * 4, '\0'), {}});
  return file;
}

testing::AssertionResult refuses_file(const GgufWriter& file, const std::string& part) {
  return refuses([&] { parse_gguf(file.bytes(), "broken.gguf"); }, part);
}

// Guards the fixture of the tests below.
TEST(BrokenGguf, IsBuiltFromAFileThatIsFine) { EXPECT_EQ(parse_gguf(valid_file().bytes()).tensors().size(), 2u); }

// Guards the name in messages.
TEST(BrokenGguf, IsNamedInTheMessage) {
  EXPECT_TRUE(refuses([&] { parse_gguf("no gguf", "models/broken.gguf"); }, "models/broken.gguf: "));
}

// Guards against truncated files.
TEST(BrokenGguf, TruncatedAtEveryByteIsRefused) {
  const std::string whole = valid_file().bytes();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_TRUE(refuses([&] { parse_gguf(whole.substr(0, n), "broken.gguf"); }, "broken.gguf: ")) << n << " bytes";
  }
}

// Guards against damaged files.
TEST(BrokenGguf, WithAnyByteChangedIsReadOrRefusedWithOneSentence) {
  // Oracle: nothing but an InputError may come out; the sanitizers watch the rest.
  const std::string whole = valid_file().bytes();
  const std::size_t n_header = whole.size() - 2 * 32 * 4 * 4;
  for (std::size_t i = 0; i < n_header; ++i) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string changed = whole;
      changed[i] = char(changed[i] ^ change);
      try {
        parse_gguf(changed, "broken.gguf");
      } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      }
    }
  }
}

// Guards the header.
TEST(BrokenGguf, WithoutTheLettersGgufIsRefused) {
  GgufWriter file = valid_file();
  file.magic = 0x46554748;
  EXPECT_TRUE(refuses_file(file, "is not a GGUF file"));
}

// Guards the header.
TEST(BrokenGguf, OfAnotherVersionIsRefused) {
  for (const std::uint32_t version : {0u, 1u, 4u, 0x7fffffffu}) {
    GgufWriter file = valid_file();
    file.version = version;
    EXPECT_TRUE(refuses_file(file, "is of GGUF version " + std::to_string(version)));
  }
}

// Guards the header.
TEST(BrokenGguf, OfTheOtherByteOrderIsRefusedByName) {
  for (const std::uint32_t version : {0x02000000u, 0x03000000u}) {
    GgufWriter file = valid_file();
    file.version = version;
    EXPECT_TRUE(refuses_file(file, "big-endian"));
  }
}

// Guards against absurd counts: none of them may decide how much memory is taken.
TEST(BrokenGguf, ClaimingMoreTensorsThanFitIsRefused) {
  for (const std::uint64_t count : {std::uint64_t(1000), std::uint64_t(1) << 60, kHuge}) {
    GgufWriter file = valid_file();
    file.claimed_tensors = count;
    EXPECT_TRUE(refuses_file(file, "claims " + std::to_string(count) + " tensors"));
  }
}

// Guards against absurd counts.
TEST(BrokenGguf, ClaimingMoreMetadataThanFitsIsRefused) {
  for (const std::uint64_t count : {std::uint64_t(1000), std::uint64_t(1) << 60, kHuge}) {
    GgufWriter file = valid_file();
    file.claimed_entries = count;
    EXPECT_TRUE(refuses_file(file, "claims " + std::to_string(count) + " metadata entries"));
  }
}

// Guards against absurd counts.
TEST(BrokenGguf, ClaimingAStringLongerThanTheFileIsRefused) {
  for (const std::uint64_t length : {std::uint64_t(1) << 40, kHuge}) {
    GgufWriter file = valid_file();
    file.set_raw("text", 8, GgufWriter::value_bytes(length));
    EXPECT_TRUE(refuses_file(file, "claims " + std::to_string(length) + " characters"));
  }
}

// Guards against absurd counts.
TEST(BrokenGguf, ClaimingAnArrayLongerThanTheFileIsRefused) {
  for (const std::uint32_t type : {0, 5, 7, 8, 12}) {
    GgufWriter file = valid_file();
    file.set_raw("array", 9, GgufWriter::value_bytes(type) + GgufWriter::value_bytes(kHuge / 2));
    EXPECT_TRUE(refuses_file(file, "claims 9223372036854775807 array elements")) << type;
  }
}

// Guards the types of metadata.
TEST(BrokenGguf, WithMetadataOfUnknownTypeIsRefused) {
  GgufWriter file = valid_file();
  file.set_raw("odd", 13, "12345678");
  EXPECT_TRUE(refuses_file(file, "metadata \"odd\" is of unknown type 13"));
}

// Guards the types of metadata.
TEST(BrokenGguf, WithAnArrayOfUnknownTypeIsRefused) {
  GgufWriter file = valid_file();
  file.set_raw("odd", 9, GgufWriter::value_bytes(std::uint32_t(77)) + GgufWriter::value_bytes(std::uint64_t(0)));
  EXPECT_TRUE(refuses_file(file, "metadata \"odd\" is of unknown type 77"));
}

// Guards the types of metadata.
TEST(BrokenGguf, WithAnArrayOfArraysIsRefused) {
  GgufWriter file = valid_file();
  file.set_raw("odd", 9, GgufWriter::value_bytes(std::uint32_t(9)) + GgufWriter::value_bytes(std::uint64_t(1)));
  EXPECT_TRUE(refuses_file(file, "metadata \"odd\" is an array of arrays"));
}

// Guards the types of metadata.
TEST(BrokenGguf, WithABooleanThatIsNeitherIsRefused) {
  GgufWriter file = valid_file();
  file.set_raw("flag", 7, "\x02");
  EXPECT_TRUE(refuses_file(file, "boolean of value 2"));
}

// Guards the types of metadata.
TEST(BrokenGguf, WithANumberBeyond63BitsIsRefused) {
  GgufWriter file = valid_file();
  file.set("large", kHuge);
  EXPECT_TRUE(refuses_file(file, "18446744073709551615"));
}

// Guards the types of metadata.
TEST(BrokenGguf, WithAnArrayOfTheWrongElementTypeIsRefusedWhereItIsUsed) {
  GgufWriter file = valid_file();
  file.set("list", std::vector<float>{1, 2});
  EXPECT_TRUE(refuses([&] { parse_gguf(file.bytes()).get<std::vector<std::string>>("list"); },
                      "metadata \"list\" is an array of numbers, expected an array of strings"));
}

// Guards against missing metadata.
TEST(BrokenGguf, WithoutAnEntryIsRefusedWhereItIsUsed) {
  EXPECT_TRUE(refuses([&] { parse_gguf(valid_file().bytes()).get<bool>("absent"); }, "lacks the metadata \"absent\""));
}

// Guards against contradictions.
TEST(BrokenGguf, WithAnEntryTwiceIsRefused) {
  GgufWriter file = valid_file();
  file.metadata.push_back(file.metadata[0]);
  EXPECT_TRUE(refuses_file(file, "has the metadata \"name\" twice"));
}

// Guards against contradictions.
TEST(BrokenGguf, WithATensorTwiceIsRefused) {
  GgufWriter file = valid_file();
  file.tensors.push_back(file.tensors[0]);
  EXPECT_TRUE(refuses_file(file, "has the tensor \"a\" twice"));
}

// Guards messages against hostile names.
TEST(BrokenGguf, WithControlCharactersInANameGivesAHarmlessMessage) {
  GgufWriter file = valid_file();
  file.metadata.push_back({"a\n\x1b[2Jb" + std::string(1000, 'c'), 13, ""});
  try {
    parse_gguf(file.bytes());
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("\"a\\x0a\\x1b[2Jbccc"), std::string::npos) << error.what();
    EXPECT_LT(std::string(error.what()).size(), 200u);
  }
}

}  // namespace
}  // namespace waitless
