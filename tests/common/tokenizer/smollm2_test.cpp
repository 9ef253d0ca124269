// Guards the tokenizer and the reader on a real model, against what the reference tokenizer computed.
#include "common/testing/smollm2.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "common/model/gguf.h"
#include "common/tokenizer/tokenizer.h"

namespace waitless {
namespace {

/// The reference: reference/make_reference.py wrote it with Hugging Face's tokenizers.
std::ifstream open_reference(const char* name) {
  const std::filesystem::path folder = repository_root() / "tests/common/tokenizer/reference";
  std::ifstream in(folder / name, std::ios::binary);
  EXPECT_TRUE(in) << folder / name;
  return in;
}

std::vector<std::string> read_lines(const char* name) {
  std::ifstream in = open_reference(name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class SmolLm2Tokenizer : public NeedsSmolLm2 {
 protected:
  const Tokenizer& tokenizer() {
    static const Tokenizer it = Tokenizer::from_gguf(GgufFile::open(path_));
    return it;
  }
};

// Guards the pre-tokenizer, the merges, special tokens and invalid UTF-8 together.
TEST_F(SmolLm2Tokenizer, GivesTheIdsOfTheReferenceForAThousandLines) {
  // Oracle: Hugging Face's tokenizers, an independent implementation.
  const std::vector<std::string> text = read_lines("smollm2.txt"), expected = read_lines("smollm2.ids");
  ASSERT_EQ(text.size(), 1000u);
  ASSERT_GT(expected.size(), text.size());
  for (const std::string& row : expected) {
    std::istringstream in(row);
    std::size_t first = 0, last = 0;
    std::string mode;
    in >> first >> last >> mode;
    ASSERT_TRUE(in && first >= 1 && first <= last && last <= text.size()) << row;
    std::string lines = text[first - 1];
    for (std::size_t i = first; i < last; ++i) lines += "\n" + text[i];
    std::vector<int> ids;
    for (int id; in >> id;) ids.push_back(id);
    const auto special = mode == "special" ? SpecialTokens::kParse : SpecialTokens::kPlain;
    EXPECT_EQ(tokenizer().encode(lines, special), ids) << mode << " " << first << ": " << testing::PrintToString(lines);
  }
}

// Guards losslessness.
TEST_F(SmolLm2Tokenizer, DecodesTheThousandLinesToTheirBytes) {
  // Oracle: the text, without the bytes that the vocabulary lacks.
  for (std::string line : read_lines("smollm2.txt")) {
    const std::vector<int> tokens = tokenizer().encode(line);
    for (std::size_t at; (at = tokenizer().find_unencodable(line)) != line.npos;) line.erase(at, 1);
    EXPECT_EQ(tokenizer().decode(tokens), line);
  }
}

// Guards what the documentation says about this vocabulary.
TEST_F(SmolLm2Tokenizer, LacksTwentyOneBytes) {
  int n = 0;
  for (int byte = 0; byte < 256; ++byte) n += tokenizer().find_unencodable(std::string(1, char(byte))) == 0;
  EXPECT_EQ(n, 21);
}

// Guards the chat template.
TEST_F(SmolLm2Tokenizer, RendersTheChatThatItsTemplateDescribes) {
  // Oracle: the file's chat template rendered by jinja2, its ids by llama.cpp (tests/models records them).
  const std::vector<int> expected = {1,     9690, 198,  2683, 359, 253,   5356, 5646, 11173, 3365, 3511, 308,
                                     34519, 28,   7018, 411,  407, 19712, 8182, 2,    198,   1,    4093, 198,
                                     9215,  5046, 1345, 47,   2,   198,   1,    520,  9531,  198};
  EXPECT_EQ(tokenizer().encode_chat("Are dogs real?"), expected);
}

// Guards the end of a turn.
TEST_F(SmolLm2Tokenizer, StopsAtTheEndOfATurnAndOfText) {
  EXPECT_EQ(tokenizer().stop_tokens(), (std::vector<int>{2, 0}));  // <|im_end|>, <|endoftext|>
  EXPECT_EQ(tokenizer().bos(), -1);
}

// Guards against quadratic time.
TEST_F(SmolLm2Tokenizer, EncodesAMegabyteWithoutASpace) {
  for (const char c : {'a', ' ', '!'}) {
    const std::string text(1000000, c);
    EXPECT_EQ(tokenizer().decode(tokenizer().encode(text)), text);
  }
}

}  // namespace
}  // namespace waitless
