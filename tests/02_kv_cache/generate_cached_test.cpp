#include "generate_cached.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "01_naive_generation/linear.h"
#include "common/base/error.h"
#include "common/testing/random_model.h"
#include "common/testing/small_tokenizer.h"
#include "kv_bytes.h"

namespace waitless {
namespace {

Model random_model_for_bytes(int context_length = 64) {
  Config config = small_config();
  config.vocab_size = kSmallVocabularySize;
  config.context_length = context_length;
  return random_model(config);
}

/// Like random_model_for_bytes(), but the output projection never lets the stop token win.
Model model_without_end(int context_length) {
  Model model = random_model_for_bytes(context_length);
  Matrix output = model.output.f32();
  output.row(kSmallStopToken).setZero();
  output.bottomRows(output.rows() - 1).array() += 0.01f;
  model.output = make_weight(output);
  return model;
}

struct Heard {
  std::vector<int> tokens;
  std::string text;
  OnToken listener() {
    return [this](int token, std::string_view part) {
      tokens.push_back(token);
      text += part;
      return true;
    };
  }
};

/// The clock of a test: every reading is a second later, and the test may let time pass.
struct FakeClock {
  double now = 100;
  int readings = 0;
  Clock clock() {
    return [this] {
      ++readings;
      return now += 1;
    };
  }
};

// Grades exercise 2.7.
TEST(GenerateCached, SaysWhatNaiveGenerationSays) {
  // Oracle: the naive twin. Greedy, and drawn with several seeds: tokens, text and the reason for the end.
  const Model model = random_model_for_bytes();
  const Tokenizer tokenizer = small_tokenizer();
  for (const float temperature : {0.0f, 1.0f, 5.0f}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const GenerateOptions options{
          .max_tokens = 40, .sampling = {.temperature = temperature, .top_p = 0.95f}, .seed = seed};
      Heard naive, cached;
      const Generation expected = generate(model, tokenizer, std::vector{65, 66, 67}, options, naive.listener());
      const CachedGeneration got =
          generate_cached(model, tokenizer, std::vector{65, 66, 67}, options, cached.listener());
      EXPECT_EQ(got.generation.tokens, expected.tokens) << "temperature " << temperature << ", seed " << seed;
      EXPECT_EQ(got.generation.reason, expected.reason);
      EXPECT_EQ(cached.tokens, naive.tokens);
      EXPECT_EQ(cached.text, naive.text);
    }
  }
}

// Grades exercise 2.7.
TEST(GenerateCached, EndsWhereNaiveGenerationEnds) {
  // Oracle: the naive twin. No tokens, one, as many as the context holds, and a prompt that fills the context.
  const Model model = model_without_end(8);
  const Tokenizer tokenizer = small_tokenizer();
  for (const int prompt_len : {1, 3, 7, 8}) {
    const std::vector<int> prompt(prompt_len, 65);
    for (const int max_tokens : {0, 1, 2, 5, 6, 100, 2147483647}) {
      const Generation expected = generate(model, tokenizer, prompt, {.max_tokens = max_tokens});
      const CachedGeneration got = generate_cached(model, tokenizer, prompt, {.max_tokens = max_tokens});
      EXPECT_EQ(got.generation.tokens, expected.tokens) << prompt_len << " + " << max_tokens;
      EXPECT_EQ(got.generation.reason, expected.reason) << prompt_len << " + " << max_tokens;
    }
  }
}

// Grades exercise 2.7.
TEST(GenerateCached, ReadsTheClockOnceBeforeAndOnceForEachToken) {
  // Oracle: by hand. Whoever listens takes 10 seconds for each token; the gaps show it, the first token does not.
  const Model model = model_without_end(64);
  FakeClock time;
  const CachedGeneration got = generate_cached(
      model, small_tokenizer(), std::vector{65, 66}, {.max_tokens = 4},
      [&](int token, std::string_view) {
        time.now += token >= 0 ? 10 : 0;
        return true;
      },
      time.clock());
  ASSERT_EQ(got.generation.tokens.size(), 4u);
  EXPECT_EQ(time.readings, 5);
  EXPECT_DOUBLE_EQ(got.timings.ttft, 1);
  EXPECT_EQ(got.timings.itl, (std::vector<double>{11, 11, 11}));
  EXPECT_DOUBLE_EQ(got.timings.tpot, 11);
  EXPECT_DOUBLE_EQ(got.timings.e2e, 34);
}

// Grades exercise 2.7.
TEST(GenerateCached, AllocatesACacheForWhatCanComeAndNoMore) {
  // Oracle: by hand: prompt + max_tokens - 1 tokens, at most the context.
  const Model model = model_without_end(16);
  const std::int64_t per_token = 2 * 2 * 2 * 6 * 4;  // two of: 2 layers, 2 heads, 6 numbers, 4 bytes
  const auto memory = [&](int max_tokens) {
    return generate_cached(model, small_tokenizer(), std::vector{65, 66, 67}, {.max_tokens = max_tokens})
        .kv_memory_bytes;
  };
  EXPECT_EQ(memory(1), 3 * per_token);
  EXPECT_EQ(memory(5), 7 * per_token);
  EXPECT_EQ(memory(1000), 16 * per_token);
}

// Grades exercise 2.7.
TEST(GenerateCached, StopsWhenTheListenerHasHeardEnough) {
  // Oracle: by hand. Two tokens were chosen, so the clock was read for two.
  const Model model = model_without_end(64);
  FakeClock time;
  int n_heard = 0;
  const CachedGeneration got = generate_cached(
      model, small_tokenizer(), std::vector{65, 66}, {.max_tokens = 10},
      [&](int, std::string_view) { return ++n_heard < 2; }, time.clock());
  EXPECT_EQ(got.generation.tokens.size(), 2u);
  EXPECT_EQ(got.generation.reason, StopReason::kStopped);
  EXPECT_EQ(time.readings, 3);
  EXPECT_EQ(got.timings.itl.size(), 1u);
}

// Grades exercise 2.7.
TEST(GenerateCached, UsesTheOperatorsItIsGiven) {
  // Oracle: counting. This is how chapter 03 puts a faster linear layer under it.
  const Model model = model_without_end(64);
  int rows = 0;
  Ops counting = naive_ops();
  counting.linear = [&](const Weight& w, const ConstMatrixRef& x, MatrixRef out) {
    if (w.role == WeightRole::kOutput) rows += int(x.rows());
    linear(w, x, out);
  };
  generate_cached(model, small_tokenizer(), std::vector{65, 66}, {.max_tokens = 5}, {}, steady_clock(),
                  [&](KvCache& cache) { return tiled_cached_ops(cache, counting); });
  EXPECT_EQ(rows, 5);
}

// Grades exercise 2.7.
TEST(GenerateCached, RefusesAModelThatIsNotCausal) {
  // Oracle: the header. What was cached of it would be wrong with the next token (2.8).
  Model model = model_without_end(16);
  model.config.causal = false;
  EXPECT_THROW(generate_cached(model, small_tokenizer(), std::vector{65, 66}, {}), InputError);
}

// Grades exercise 2.7.
TEST(GenerateCached, RefusesPromptsItCannotContinue) {
  // Oracle: the header.
  const Model model = random_model_for_bytes(5);
  const Tokenizer tokenizer = small_tokenizer();
  EXPECT_THROW(generate_cached(model, tokenizer, {}, {}), InputError);
  EXPECT_THROW(generate_cached(model, tokenizer, std::vector{1, 2, 3, 4, 5, 6}, {}), InputError);
  EXPECT_THROW(generate_cached(model, tokenizer, std::vector{kSmallVocabularySize}, {}), std::out_of_range);
}

}  // namespace
}  // namespace waitless
