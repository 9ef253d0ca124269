// Guards common/tokenizer/utf8: no half character reaches a terminal, and nothing invalid passes for valid.
#include "common/tokenizer/utf8.h"

#include <gtest/gtest.h>

namespace waitless {
namespace {

constexpr auto kValid = std::string_view::npos;
constexpr const char* kReplacement = "\xEF\xBF\xBD";

std::string streamed(std::string_view text, std::size_t piece) {
  Utf8Stream stream;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += piece) out += stream.push(text.substr(i, piece));
  return out + stream.finish();
}

// Guards valid text.
TEST(Utf8, AcceptsTheSmallestAndLargestCharacterOfEveryLength) {
  // Oracle: table 3-7 of the Unicode standard.
  using namespace std::string_view_literals;
  for (const auto text : {"\0"sv, "\x7f"sv, "\xC2\x80"sv, "\xDF\xBF"sv, "\xE0\xA0\x80"sv, "\xED\x9F\xBF"sv,
                          "\xEE\x80\x80"sv, "\xEF\xBF\xBF"sv, "\xF0\x90\x80\x80"sv, "\xF4\x8F\xBF\xBF"sv, ""sv}) {
    EXPECT_EQ(find_invalid_utf8(text), kValid) << text;
  }
}

// Guards against invalid text.
TEST(Utf8, FindsTheFirstByteThatIsNotValid) {
  // Oracle: by hand.
  EXPECT_EQ(find_invalid_utf8("ab\x80"), 2u);  // a continuation byte alone
  EXPECT_EQ(find_invalid_utf8("ab\xC3"), 2u);  // cut off
  EXPECT_EQ(find_invalid_utf8("ab\xE4\xB8"), 2u);
  EXPECT_EQ(find_invalid_utf8("ab\xE4\xB8"
                              "c"),
            2u);
  EXPECT_EQ(find_invalid_utf8("\xC0\x80"), 0u);  // overlong: 2, 3 and 4 bytes
  EXPECT_EQ(find_invalid_utf8("\xC1\xBF"), 0u);
  EXPECT_EQ(find_invalid_utf8("\xE0\x9F\xBF"), 0u);
  EXPECT_EQ(find_invalid_utf8("\xF0\x8F\xBF\xBF"), 0u);
  EXPECT_EQ(find_invalid_utf8("a\xED\xA0\x80"), 1u);  // surrogates
  EXPECT_EQ(find_invalid_utf8("a\xED\xBF\xBF"), 1u);
  EXPECT_EQ(find_invalid_utf8("\xF4\x90\x80\x80"), 0u);  // above U+10FFFF
  EXPECT_EQ(find_invalid_utf8("\xF5\x80\x80\x80"), 0u);
  EXPECT_EQ(find_invalid_utf8("\xFF"), 0u);
}

// Guards the stream.
TEST(Utf8Stream, GivesValidTextUnchangedHoweverItIsCut) {
  // Oracle: the text.
  const std::string text = "a\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80z";  // 1, 2, 3 and 4 bytes
  for (std::size_t piece = 1; piece <= text.size(); ++piece) EXPECT_EQ(streamed(text, piece), text) << piece;
}

// Guards the stream.
TEST(Utf8Stream, HoldsACharacterBackUntilItIsComplete) {
  Utf8Stream stream;
  EXPECT_EQ(stream.push("a\xF0\x9F"), "a");
  EXPECT_EQ(stream.push("\x98"), "");
  EXPECT_EQ(stream.push("\x80"
                        "b"),
            "\xF0\x9F\x98\x80"
            "b");
  EXPECT_EQ(stream.finish(), "");
}

// Guards the stream against invalid bytes.
TEST(Utf8Stream, ReplacesEachBrokenCharacterOnceHoweverItIsCut) {
  // Oracle: Python's bytes.decode("utf-8", "replace"), which follows the Unicode standard's recommendation.
  struct Case {
    std::string text;
    int n_replacements;
  };
  for (const Case& c : {Case{"\x80", 1},
                        {"\xE4\xB8", 1},
                        {"\xE4\xB8"
                         "x",
                         1},
                        {"\xE4\xB8\xE4\xB8", 2},
                        {"\xED\xA0\x80", 3},
                        {"\xF4\x90\x80\x80", 4},
                        {"\xC0\x80", 2},
                        {"\xF0\x9F\x98", 1},
                        {"\xFF\xFE", 2},
                        {"\xE0\x80\xAF", 3}}) {
    for (std::size_t piece = 1; piece <= c.text.size(); ++piece) {
      const std::string out = streamed(c.text, piece);
      int n = 0;
      for (std::size_t at = 0; (at = out.find(kReplacement, at)) != out.npos; at += 3) ++n;
      EXPECT_EQ(n, c.n_replacements) << testing::PrintToString(c.text);
      EXPECT_EQ(find_invalid_utf8(out), kValid);
    }
  }
}

// Guards the end of the stream.
TEST(Utf8Stream, ReplacesWhatIsIncompleteAtTheEndAndStartsAfresh) {
  Utf8Stream stream;
  EXPECT_EQ(stream.push("\xE4\xB8"), "");
  EXPECT_EQ(stream.finish(), kReplacement);
  EXPECT_EQ(stream.push("\xAD"), kReplacement);
  EXPECT_EQ(stream.finish(), "");
}

}  // namespace
}  // namespace waitless
