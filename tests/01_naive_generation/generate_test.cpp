#include "generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/error.h"
#include "common/tensor/random.h"
#include "common/testing/gguf_writer.h"
#include "common/testing/random_model.h"
#include "common/testing/small_tokenizer.h"
#include "common/tokenizer/utf8.h"
#include "oracles.h"

namespace waitless {
namespace {

/// A model without layers whose most likely token after token i is script[i].
Model scripted_model(const std::vector<int>& script) {
  const Index V = Index(script.size());
  Matrix output = Matrix::Zero(V, V);
  for (Index i = 0; i < V; ++i) output(script[i], i) = 1.0f;
  Model model;
  model.config.vocab_size = model.config.d_model = int(V);
  model.config.context_length = 100;
  model.config.n_heads = model.config.n_kv_heads = 1;
  model.config.head_dim = 2;
  model.config.d_ff = 1;
  model.token_embedding = make_weight(Matrix::Identity(V, V));
  model.output_norm = make_weight(Matrix::Ones(1, V));
  model.output = make_weight(output);
  return model;
}

/// A scripted model that says `text` byte by byte after the token of 'A', and then the stop token.
Model model_that_says(const std::string& text) {
  std::vector<int> script(kSmallVocabularySize, kSmallStopToken);
  unsigned char last = 'A';
  for (unsigned char byte : text) {
    script[byte_token(last)] = byte_token(byte);  // no byte may occur twice in the text
    last = byte;
  }
  return scripted_model(script);
}

struct Heard {
  Generation generation;
  std::vector<int> tokens;
  std::vector<std::string> chunks;
  std::string text;
};

Heard hear(const Model& model, std::vector<int> prompt, const GenerateOptions& options) {
  Heard heard;
  heard.generation = generate(model, small_tokenizer(), prompt, options, [&](int token, std::string_view text) {
    heard.tokens.push_back(token);
    heard.chunks.emplace_back(text);
    heard.text += text;
    return true;
  });
  return heard;
}

Model random_model_for_bytes(int context_length = 64) {
  Config config = small_config();
  config.vocab_size = kSmallVocabularySize;
  config.context_length = context_length;
  return random_model(config);
}

// Grades exercise 1.11.
TEST(Generate, FollowsTheMostLikelyToken) {
  // Oracle: argmax over an independent forward pass in double precision, everything recomputed for each token.
  const Model model = random_model_for_bytes();
  std::vector<int> sequence = {65, 66, 67}, expected;
  for (int i = 0; i < 8; ++i) {
    const auto logits = oracle::forward(model, sequence, Batch::causal(0, 0, int(sequence.size())));
    Index best = 0;
    logits.row(0).maxCoeff(&best);
    ASSERT_NE(best, kSmallStopToken) << "the test needs a prompt whose continuation does not stop";
    expected.push_back(int(best));
    sequence.push_back(int(best));
  }
  EXPECT_EQ(hear(model, {65, 66, 67}, {.max_tokens = 8}).generation.tokens, expected);
}

// Grades exercise 1.11.
TEST(Generate, StopsAtAStopTokenWithoutShowingIt) {
  // Oracle: by hand.
  const Heard heard = hear(model_that_says("bcd"), {byte_token('A')}, {.max_tokens = 50});
  EXPECT_EQ(heard.text, "bcd");
  EXPECT_EQ(heard.generation.tokens, (std::vector<int>{byte_token('b'), byte_token('c'), byte_token('d')}));
  EXPECT_EQ(heard.tokens, heard.generation.tokens);
  EXPECT_EQ(heard.generation.reason, StopReason::kStopToken);
}

// Grades exercise 1.11.
TEST(Generate, StopsAtAnyStopToken) {
  // Oracle: by hand. A chat model ends a text with one token and a turn with another.
  GgufWriter writer;
  add_tokenizer(writer, {"<|endoftext|>", "<|im_end|>"}, {});
  const Tokenizer tokenizer = Tokenizer::from_gguf(parse_gguf(writer.bytes()));
  for (const int stop : {0, 1}) {
    int token;
    const NextTokens next_token = [&](std::span<const int> sequence) {
      token = sequence.size() < 3 ? 70 : stop;
      return std::span<const int>(&token, 1);
    };
    const Generation generation = generate_loop(next_token, tokenizer, std::vector{65}, 100, 10);
    EXPECT_EQ(generation.tokens, (std::vector{70, 70})) << "stop token " << stop;
    EXPECT_EQ(generation.reason, StopReason::kStopToken) << "stop token " << stop;
  }
}

// Grades exercise 1.11.
TEST(Generate, EndsAfterMaxTokens) {
  // Oracle: by hand.
  const Heard two = hear(model_that_says("bcd"), {byte_token('A')}, {.max_tokens = 2});
  EXPECT_EQ(two.text, "bc");
  EXPECT_EQ(two.generation.reason, StopReason::kMaxTokens);
  EXPECT_TRUE(hear(model_that_says("bcd"), {byte_token('A')}, {.max_tokens = 0}).tokens.empty());
  EXPECT_EQ(generate(model_that_says("bcd"), small_tokenizer(), std::vector{byte_token('A')}, {.max_tokens = 2}).tokens,
            two.generation.tokens)
      << "nobody need listen";
}

// Grades exercise 1.11.
TEST(Generate, EndsWhenTheContextIsFull) {
  // Oracle: by hand. A context of 5 holds the prompt of 3 and two new tokens; the logits of its last position still
  // give a third. A prompt that fills the context gets one token.
  const Model model = random_model_for_bytes(5);
  const Heard heard = hear(model, {65, 66, 67}, {.max_tokens = 50});
  EXPECT_EQ(heard.generation.tokens.size(), 3u);
  EXPECT_EQ(heard.generation.reason, StopReason::kContextFull);
  const Heard full = hear(model, {65, 66, 67, 68, 69}, {.max_tokens = 50});
  EXPECT_EQ(full.generation.tokens.size(), 1u);
  EXPECT_EQ(full.generation.reason, StopReason::kContextFull);
}

// Grades exercise 1.11.
TEST(Generate, StopsWhenTheListenerSaysSo) {
  // Oracle: by hand. The listener has heard "c" when it says to stop, so "c" is the last.
  std::string text;
  const auto listener = [&](int, std::string_view part) { return (text += part) != "bc"; };
  const Generation generation =
      generate(model_that_says("bcd"), small_tokenizer(), std::vector{byte_token('A')}, {.max_tokens = 50}, listener);
  EXPECT_EQ(text, "bc");
  EXPECT_EQ(generation.tokens, (std::vector{byte_token('b'), byte_token('c')}));
  EXPECT_EQ(generation.reason, StopReason::kStopped);
}

// Grades exercise 1.11.
TEST(Generate, StreamsWholeCharactersOnly) {
  // Oracle: by hand. Each byte is a token: é has two, € three, 🙂 four. No half character may reach a terminal.
  const Heard heard = hear(model_that_says("h\xc3\xa9 \xe2\x82\xac!"), {byte_token('A')}, {.max_tokens = 50});
  EXPECT_EQ(heard.chunks, (std::vector<std::string>{"h", "", "\xc3\xa9", " ", "", "", "\xe2\x82\xac", "!"}));
  EXPECT_EQ(hear(model_that_says("\xf0\x9f\x99\x82"), {byte_token('A')}, {.max_tokens = 50}).text, "\xf0\x9f\x99\x82");
}

// Grades exercise 1.11.
TEST(Generate, ShowsACharacterThatNeverCameToItsEnd) {
  // Oracle: the header. The first two bytes of € alone become U+FFFD, in one last call without a token.
  const Heard heard = hear(model_that_says("b\xe2\x82"), {byte_token('A')}, {.max_tokens = 50});
  EXPECT_EQ(heard.text, "b\xef\xbf\xbd");
  ASSERT_FALSE(heard.tokens.empty());
  EXPECT_EQ(heard.tokens.back(), -1);
  EXPECT_EQ(heard.generation.tokens.size(), 3u);
}

// Grades exercise 1.11.
TEST(Generate, DrawsTheSameTextFromTheSameSeed) {
  // Oracle: invariance; and at a high temperature over 257 tokens, ten draws of another seed differ.
  const Model model = random_model_for_bytes();
  const auto draw = [&](std::uint64_t seed) {
    return hear(model, {65}, {.max_tokens = 10, .sampling = {.temperature = 5.0f}, .seed = seed}).generation.tokens;
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
}

// Grades exercise 1.11.
TEST(Generate, TakesTheNextDrawForEachToken) {
  // Oracle: exact. All 257 logits are equal, so the draw u chooses token 257 u, rounded down.
  Model model = scripted_model(std::vector<int>(kSmallVocabularySize, 1));
  model.output = make_weight(Matrix::Zero(kSmallVocabularySize, kSmallVocabularySize));
  Random random(4);
  std::vector<int> expected;
  for (int i = 0; i < 6; ++i) expected.push_back(int(random.uniform() * kSmallVocabularySize));
  const Heard heard = hear(model, {65}, {.max_tokens = 6, .sampling = {.temperature = 1.0f}, .seed = 4});
  EXPECT_EQ(heard.generation.tokens, expected) << "one generator for the whole text";
}

/// Hands out these groups of tokens, one a step.
NextTokens in_groups(const std::vector<std::vector<int>>& groups, std::size_t* step) {
  return [&groups, step](std::span<const int>) { return std::span<const int>(groups.at((*step)++)); };
}

// Grades exercise 1.11.
TEST(GenerateLoop, TakesSeveralTokensAStepOrNone) {
  // Oracle: by hand. A draft that was accepted gives several, a block that is being denoised none yet (chapters 07,
  // 08).
  const std::vector<std::vector<int>> groups = {{66, 67, 68}, {}, {69}, {70, 71, 72}};
  std::size_t step = 0;
  std::vector<int> heard;
  const OnToken listener = [&](int token, std::string_view) {
    heard.push_back(token);
    return true;
  };
  const Generation generation =
      generate_loop(in_groups(groups, &step), small_tokenizer(), std::vector{65}, 100, 5, listener);
  EXPECT_EQ(generation.tokens, (std::vector{66, 67, 68, 69, 70})) << "what is behind the fifth token is dropped";
  EXPECT_EQ(heard, generation.tokens);
  EXPECT_EQ(step, 4u);
  EXPECT_EQ(generation.reason, StopReason::kMaxTokens);
}

// Grades exercise 1.11.
TEST(GenerateLoop, StopsWithinAStep) {
  // Oracle: by hand. A stop token, and the end of the context, in the middle of several tokens.
  std::size_t step = 0;
  const std::vector<std::vector<int>> with_stop = {{66, kSmallStopToken, 67}};
  const Generation stopped = generate_loop(in_groups(with_stop, &step), small_tokenizer(), std::vector{65}, 100, 50);
  EXPECT_EQ(stopped.tokens, (std::vector{66}));
  EXPECT_EQ(stopped.reason, StopReason::kStopToken);
  step = 0;
  const std::vector<std::vector<int>> many = {{66, 67, 68, 69, 70}};
  const Generation full = generate_loop(in_groups(many, &step), small_tokenizer(), std::vector{65}, 3, 50);
  EXPECT_EQ(full.tokens, (std::vector{66, 67, 68})) << "two fit, the third is shown only";
  EXPECT_EQ(full.reason, StopReason::kContextFull);
}

// Grades exercise 1.11.
TEST(GenerateLoop, EndsWithTheContextRatherThanWithMaxTokens) {
  // Oracle: the header. Both end with the third token.
  std::size_t step = 0;
  const std::vector<std::vector<int>> many = {{66, 67, 68, 69, 70}};
  EXPECT_EQ(generate_loop(in_groups(many, &step), small_tokenizer(), std::vector{65}, 3, 3).reason,
            StopReason::kContextFull);
}

// Grades exercise 1.11.
TEST(GenerateLoop, StopsWhenTheListenerHasHeardEnough) {
  // Oracle: by hand. A reader who goes away (chapter 12): the token that was heard counts, no step follows.
  std::size_t step = 0;
  const std::vector<std::vector<int>> groups = {{66}, {67}, {68}};
  const OnToken listener = [](int token, std::string_view) { return token != 67; };
  const Generation generation =
      generate_loop(in_groups(groups, &step), small_tokenizer(), std::vector{65}, 100, 50, listener);
  EXPECT_EQ(generation.tokens, (std::vector{66, 67}));
  EXPECT_EQ(generation.reason, StopReason::kStopped);
  EXPECT_EQ(step, 2u);
}

// Grades exercise 1.11.
TEST(Generate, UsesTheOperatorsItIsGiven) {
  // Oracle: counting. One pass a token, each over the whole text.
  const Model model = random_model_for_bytes();
  int rows = 0;
  Ops ops = naive_ops();
  ops.begin_step = [&](const Batch& batch) { rows += batch.n_rows(); };
  generate(model, small_tokenizer(), std::vector{65, 66, 67}, {.max_tokens = 3}, {}, ops);
  EXPECT_EQ(rows, 3 + 4 + 5);
}

// Grades exercise 1.11.
TEST(Generate, RefusesAModelThatIsNotCausal) {
  // Oracle: the header. A model whose tokens see later ones is not continued token by token (chapter 07).
  Model model = random_model_for_bytes();
  model.config.causal = false;
  EXPECT_THROW(hear(model, {65, 66}, {}), InputError);
}

// Grades exercise 1.11.
TEST(Generate, RefusesPromptsItCannotContinue) {
  // Oracle: the header.
  const Model model = random_model_for_bytes(5);
  EXPECT_THROW(hear(model, {}, {}), InputError);
  EXPECT_THROW(hear(model, {1, 2, 3, 4, 5, 6}, {}), InputError);
  EXPECT_THROW(hear(model, {kSmallVocabularySize}, {}), std::out_of_range);
}

}  // namespace
}  // namespace waitless
