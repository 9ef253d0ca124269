// Guards common/tokenizer/pretokenizer: where words begin and end.
#include "common/tokenizer/pretokenizer.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace waitless {
namespace {

using Words = std::vector<std::string>;

Words split(const char* name, std::string_view text) {
  const auto words = Pretokenizer(name).split(text);
  return {words.begin(), words.end()};
}

// Guards gpt-2.
TEST(Pretokenizer, GivesAWordTheOneSpaceBeforeIt) {
  EXPECT_EQ(split("gpt-2", "wait less"), (Words{"wait", " less"}));
  EXPECT_EQ(split("gpt-2", "wait   less"), (Words{"wait", "  ", " less"}));
  EXPECT_EQ(split("gpt-2", "wait\t\tless "), (Words{"wait", "\t", "\t", "less", " "}));
}

// Guards gpt-2.
TEST(Pretokenizer, SeparatesLettersNumbersAndOtherCharacters) {
  EXPECT_EQ(split("gpt-2", "x86_64 (v12)!"), (Words{"x", "86", "_", "64", " (", "v", "12", ")!"}));
}

// Guards gpt-2.
TEST(Pretokenizer, CutsContractionsOff) {
  EXPECT_EQ(split("gpt-2", "don't we'll I'd it's 'tis"),
            (Words{"don", "'t", " we", "'ll", " I", "'d", " it", "'s", " '", "tis"}));
  EXPECT_EQ(split("gpt-2", "IT'S"), (Words{"IT", "'", "S"}));  // lower case only
}

// Guards smollm.
TEST(Pretokenizer, OfSmollmMakesEveryDigitAWord) {
  EXPECT_EQ(split("smollm", "in 2026"), (Words{"in", " ", "2", "0", "2", "6"}));
  EXPECT_EQ(split("smollm", "a   5"), (Words{"a", "   ", "5"}));  // all the spaces: a digit takes none
  EXPECT_EQ(split("smollm", "v1.5's"), (Words{"v", "1", ".", "5", "'s"}));
  EXPECT_EQ(split("smollm", "\xC2\xBD\xE2\x85\xA3"), (Words{"\xC2\xBD", "\xE2\x85\xA3"}));  // one half, Roman four
}

// Guards the meaning of white space: the Unicode property, which is not the \s of every library.
TEST(Pretokenizer, KnowsTheWhiteSpaceOfUnicode) {
  for (const std::string space : {"\xC2\x85", "\xC2\xA0", "\xE1\x9A\x80", "\xE2\x80\xA8", "\xE3\x80\x80", "\x0B"}) {
    EXPECT_EQ(split("gpt-2", "a" + space + "b"), (Words{"a", space, "b"}));
  }
  for (const std::string no_space : {"\xE1\xA0\x8E", "\xE2\x80\x8B", "\x1C"}) {  // U+180E, U+200B, a control
    EXPECT_EQ(split("gpt-2", "." + no_space + "."), (Words{"." + no_space + "."}));
  }
}

// Guards bytes that are not valid UTF-8.
TEST(Pretokenizer, MakesEveryRunOfInvalidBytesAWord) {
  EXPECT_EQ(split("gpt-2", "a\xFF\x80 b\xE4\xB8"), (Words{"a", "\xFF\x80", " b", "\xE4\xB8"}));
  EXPECT_EQ(split("gpt-2", "  \xFF"), (Words{"  ", "\xFF"}));
}

// Guards losslessness.
TEST(Pretokenizer, LosesNothing) {
  // Oracle: the text. Every pair of bytes, among them all line ends and broken characters.
  for (const char* name : {"gpt-2", "smollm"}) {
    std::string text;
    for (int i = 0; i < 0x10000; ++i) text += {char(i >> 8), char(i)};
    std::string joined;
    for (const std::string& word : split(name, text)) joined += word;
    EXPECT_EQ(joined, text);
  }
}

// Guards the names.
TEST(Pretokenizer, ThrowsOnAnUnknownName) {
  EXPECT_FALSE(Pretokenizer::knows("llama-bpe"));
  EXPECT_THROW(Pretokenizer("llama-bpe"), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
