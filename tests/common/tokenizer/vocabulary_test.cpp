// Guards common/tokenizer/vocabulary: metadata that contradicts itself is refused with one sentence.
#include <gtest/gtest.h>

#include "common/testing/gguf_writer.h"
#include "common/testing/refuses.h"
#include "common/tokenizer/tokenizer.h"

namespace waitless {
namespace {

class BrokenVocabulary : public testing::Test {
 protected:
  void SetUp() override {
    add_tokenizer(file_, {"<|endoftext|>"}, {{"a", "b"}, {"ab", "c"}});
    const GgufFile read = parse_gguf(file_.bytes());
    tokens_ = read.get<std::vector<std::string>>("tokenizer.ggml.tokens");
    types_.assign(tokens_.size(), 1);
    types_[0] = 3;
  }

  testing::AssertionResult is_refused(const std::string& part) {
    return refuses([&] { Tokenizer::from_gguf(parse_gguf(file_.bytes(), "v.gguf")); }, part);
  }

  GgufWriter file_;
  std::vector<std::string> tokens_;
  std::vector<std::int32_t> types_;
};

// Guards the fixture.
TEST_F(BrokenVocabulary, IsBuiltFromOneThatIsFine) {
  EXPECT_EQ(Tokenizer::from_gguf(parse_gguf(file_.bytes())).vocab_size(), 259);
}

// Guards tokenizer.ggml.model.
TEST_F(BrokenVocabulary, OfAnotherKindIsRefusedByName) {
  file_.set("tokenizer.ggml.model", "llama");
  EXPECT_TRUE(is_refused("v.gguf: has a tokenizer of kind \"llama\""));
}

// Guards tokenizer.ggml.pre.
TEST_F(BrokenVocabulary, WithAnotherPretokenizerIsRefusedByName) {
  file_.set("tokenizer.ggml.pre", "llama-bpe");
  EXPECT_TRUE(is_refused("pre-tokenizer \"llama-bpe\""));
}

// Guards tokenizer.ggml.add_space_prefix.
TEST_F(BrokenVocabulary, ThatWantsALeadingSpaceIsRefused) {
  file_.set("tokenizer.ggml.add_space_prefix", true);
  EXPECT_TRUE(is_refused("add_space_prefix"));
}

// Guards against missing metadata.
TEST_F(BrokenVocabulary, WithoutAPartIsRefused) {
  for (const std::string name : {"model", "pre", "tokens", "token_type", "merges", "eos_token_id"}) {
    const GgufWriter whole = file_;
    file_.erase("tokenizer.ggml." + name);
    EXPECT_TRUE(is_refused("lacks the metadata \"tokenizer.ggml." + name + "\""));
    file_ = whole;
  }
}

// Guards the kinds of metadata.
TEST_F(BrokenVocabulary, WithAListOfTheWrongElementTypeIsRefused) {
  file_.set("tokenizer.ggml.merges", std::vector<std::int32_t>{1});
  EXPECT_TRUE(is_refused("\"tokenizer.ggml.merges\" is an array of integers, expected an array of strings"));
}

// Guards the list of tokens.
TEST_F(BrokenVocabulary, WithoutTokensIsRefused) {
  file_.set("tokenizer.ggml.tokens", std::vector<std::string>{});
  EXPECT_TRUE(is_refused("without tokens"));
}

// Guards token_type.
TEST_F(BrokenVocabulary, WithAnotherNumberOfKindsThanTokensIsRefused) {
  types_.pop_back();
  file_.set("tokenizer.ggml.token_type", types_);
  EXPECT_TRUE(is_refused("lists 259 tokens, but 258 kinds"));
}

// Guards token_type.
TEST_F(BrokenVocabulary, WithAKindThatByteLevelBpeLacksIsRefused) {
  types_[7] = 6;
  file_.set("tokenizer.ggml.token_type", types_);
  EXPECT_TRUE(is_refused("token 7 is of kind 6"));
}

// Guards the list of tokens.
TEST_F(BrokenVocabulary, WithATokenTwiceIsRefused) {
  tokens_[5] = tokens_[100];
  file_.set("tokenizer.ggml.tokens", tokens_);
  EXPECT_TRUE(is_refused("tokens 5 and 100 are both \"c\""));
}

// Guards the list of tokens.
TEST_F(BrokenVocabulary, WithAnEmptyTokenIsRefused) {
  tokens_[5] = "";
  file_.set("tokenizer.ggml.tokens", tokens_);
  EXPECT_TRUE(is_refused("token 5 has no characters"));
}

// Guards the byte alphabet: a space, a Chinese character, U+0144 (the first after the alphabet), broken UTF-8.
TEST_F(BrokenVocabulary, WithACharacterThatStandsForNoByteIsRefused) {
  for (const char* token : {" ", "\xE4\xB8\xAD", "\xC5\x84", "\xC2\xAD", "\xFF", "a\xC5"}) {
    tokens_[5] = token;
    file_.set("tokenizer.ggml.tokens", tokens_);
    EXPECT_TRUE(is_refused("token 5, ")) << token;
    EXPECT_TRUE(is_refused("holds a character that stands for no byte")) << token;
  }
}

// Guards the merges.
TEST_F(BrokenVocabulary, WithAMergeThatIsNoPairOfTokensIsRefused) {
  const auto with_merge = [&](const char* merge) {
    file_.set("tokenizer.ggml.merges", std::vector<std::string>{merge});
  };
  with_merge("ab");
  EXPECT_TRUE(is_refused("merge 0, \"ab\", does not name two tokens"));
  with_merge("");
  EXPECT_TRUE(is_refused("does not name two tokens"));
  with_merge("a xy");
  EXPECT_TRUE(is_refused("merges something that is no token"));
  with_merge(" a");
  EXPECT_TRUE(is_refused("merges something that is no token"));
  with_merge("a b c");
  EXPECT_TRUE(is_refused("merges something that is no token"));
  with_merge("b a");
  EXPECT_TRUE(is_refused("makes something that is no token"));
  with_merge("<|endoftext|> a");
  EXPECT_TRUE(is_refused("merges something that is no token"));
}

// Guards the merges.
TEST_F(BrokenVocabulary, WithAMergeTwiceIsRefused) {
  file_.set("tokenizer.ggml.merges", std::vector<std::string>{"a b", "a b"});
  EXPECT_TRUE(is_refused("merge 1, \"a b\", appears twice"));
}

// Guards token ids in the metadata.
TEST_F(BrokenVocabulary, WithSpecialTokensOutsideTheVocabularyIsRefused) {
  for (const std::string name : {"bos", "eos", "eot"}) {
    const GgufWriter whole = file_;
    file_.set("tokenizer.ggml.add_bos_token", true);
    file_.set("tokenizer.ggml.bos_token_id", std::uint32_t(0));
    file_.set("tokenizer.ggml." + name + "_token_id", std::uint32_t(259));
    EXPECT_TRUE(is_refused("metadata \"tokenizer.ggml." + name + "_token_id\" is 259, but there are 259 tokens"));
    file_.set("tokenizer.ggml." + name + "_token_id", std::int32_t(-1));
    EXPECT_TRUE(is_refused("is -1, but there are 259 tokens"));
    file_ = whole;
  }
}

}  // namespace
}  // namespace waitless
