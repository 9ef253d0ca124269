#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace waitless::simt_test {
namespace {

/// What the compiler of this build says about a .cu file.
std::string compile(const std::filesystem::path& file) {
  const std::string root = WAITLESS_SOURCE_DIR;
  const std::string command = std::string(WAITLESS_CXX_COMPILER) +
                              " -std=c++20 -fsyntax-only -DWAITLESS_SIMT_DEVICE_CODE -I'" + root + "' -I'" + root +
                              "/common/simt/include' -x c++ '" + file.string() + "' 2>&1";
  std::string output;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "the compiler cannot be started";
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) output += buffer;
  pclose(pipe);
  return output;
}

// Guards what simt does not have: each file in unsupported/ is refused with the sentence that its first line expects.
TEST(Unsupported, FeaturesAreRefusedWithASentence) {
  int n_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WAITLESS_SOURCE_DIR "/tests/common/simt/unsupported")) {
    std::ifstream file(entry.path());
    std::string expected;
    std::getline(file, expected);
    const std::string prefix = "// Expects: ";
    ASSERT_EQ(expected.substr(0, prefix.size()), prefix) << entry.path();
    const std::string output = compile(entry.path());
    EXPECT_TRUE(std::regex_search(output, std::regex(expected.substr(prefix.size())))) << entry.path() << "\n"
                                                                                       << output;
    ++n_files;
  }
  EXPECT_GE(n_files, 8);
}

}  // namespace
}  // namespace waitless::simt_test
