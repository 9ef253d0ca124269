// The cache on real models: the one that ships with the course, and SmolLM2 where it has been fetched.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <vector>

#include "01_naive_generation/forward.h"
#include "01_naive_generation/linear.h"
#include "01_naive_generation/tiled_attention.h"
#include "common/model/find_model.h"
#include "common/model/gguf.h"
#include "common/tensor/random.h"
#include "common/testing/compare.h"
#include "common/testing/smollm2.h"
#include "decoder.h"
#include "generate_cached.h"

namespace waitless {
namespace {

/// Each row by itself, so that it comes out the same whatever rows come with it. Eigen's product of many rows adds in
/// another order than its product of one: on SmolLM2 that alone moves logits by up to 1e-5 of the largest one.
void linear_row_by_row(const Weight& w, const ConstMatrixRef& x, MatrixRef out) {
  for (Index r = 0; r < x.rows(); ++r) linear(w, x.row(r), out.row(r));
}

/// Logits of every row, all of them computed at once; the products row by row, or as generate() does them.
Matrix naive_logits(const Model& model, std::span<const int> tokens, bool is_row_by_row = true) {
  Batch batch = Batch::causal(0, 0, tokens);
  batch.logit_rows.resize(tokens.size());
  std::iota(batch.logit_rows.begin(), batch.logit_rows.end(), 0);
  Workspace workspace;
  Matrix logits(batch.n_rows(), model.config.vocab_size);
  Ops ops = tiled_ops();
  if (is_row_by_row) ops.linear = linear_row_by_row;
  forward(model, batch, ops, workspace, logits);
  return logits;
}

/// Goes through the tokens in parts of these sizes and compares the logits after each part with the naive ones: within
/// 1e-5 of the largest logit.
testing::AssertionResult same_logits(const Model& model, std::span<const int> tokens, const std::vector<int>& parts,
                                     const Matrix& naive) {
  CachedDecoder decoder(model, int(tokens.size()));
  decoder.ops.linear = linear_row_by_row;
  int done = 0;
  for (const int n : parts) {
    if (n == 1 && done > 0)
      decode_step(decoder, tokens[done]);
    else
      prefill(decoder, tokens.subspan(done, n));
    done += n;
    const auto expected = naive.row(done - 1);
    const float scale = std::max(1.0f, expected.cwiseAbs().maxCoeff());
    if (const auto result = near(expected / scale, decoder.logits / scale, 1e-5); !result) {
      return testing::AssertionFailure() << "after " << done << " tokens: " << result.message();
    }
  }
  return testing::AssertionSuccess();
}

std::vector<int> prompt_then_steps(int prompt, int n) {
  std::vector<int> parts(1 + n - prompt, 1);
  parts[0] = prompt;
  return parts;
}

std::vector<int> chunks(int chunk_size, int n) {
  std::vector<int> parts(n / chunk_size, chunk_size);
  if (n % chunk_size > 0) parts.push_back(n % chunk_size);
  return parts;
}

/// Parts of random sizes, from almost only single steps to almost one chunk.
std::vector<int> random_split(Random& random, int n) {
  const double likelihood = random.uniform();  // of a cut between two tokens
  std::vector<int> parts = {1};
  for (int t = 1; t < n; ++t) {
    if (random.uniform() < likelihood)
      parts.push_back(1);
    else
      ++parts.back();
  }
  return parts;
}

std::vector<int> first_tokens(const Tokenizer& tokenizer, int n) {
  std::vector<int> tokens = tokenizer.encode_prompt(
      "It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a "
      "wife. However little known the feelings or views of such a man may be on his first entering a neighbourhood, "
      "this "
      "truth is so well fixed in the minds of the surrounding families, that he is considered the rightful property of "
      "some one or other of their daughters.");
  tokens.resize(n);
  return tokens;
}

/// Guards: these need the files of models, so no points depend on them.
class DefaultModel : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(find_model(kDefaultModel))) GTEST_SKIP() << find_model(kDefaultModel) << " is missing";
  }
};

// Guards exactness on the default model: 40 tokens, every length of the prompt, every size of chunks, and 100 of the
// other splits, of which there are too many to try all.
TEST_F(DefaultModel, GivesTheNaiveLogitsForEverySplit) {
  // Oracle: the naive twin.
  const GgufFile file = GgufFile::open(find_model(kDefaultModel));
  const Model model = load_model(file);
  const std::vector<int> tokens = first_tokens(Tokenizer::from_gguf(file), 40);
  const Matrix naive = naive_logits(model, tokens);
  for (int n = 1; n <= 40; ++n) {
    EXPECT_TRUE(same_logits(model, tokens, prompt_then_steps(n, 40), naive)) << "prompt of " << n;
    EXPECT_TRUE(same_logits(model, tokens, chunks(n, 40), naive)) << "chunks of " << n;
  }
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const std::vector<int> parts = random_split(random, 40);
    EXPECT_TRUE(same_logits(model, tokens, parts, naive)) << parts.size() << " parts, draw " << i;
  }
}

// Guards exactness on the default model: 200 tokens of greedy text.
TEST_F(DefaultModel, WritesTheTextOfNaiveGeneration) {
  // Oracle: the naive twin.
  const GgufFile file = GgufFile::open(find_model(kDefaultModel));
  const Model model = load_model(file);
  const Tokenizer tokenizer = Tokenizer::from_gguf(file);
  const std::vector<int> prompt = tokenizer.encode_prompt("It is a truth universally acknowledged");
  const GenerateOptions options{.max_tokens = 200};
  const Generation naive = generate(model, tokenizer, prompt, options);
  const CachedGeneration cached = generate_cached(model, tokenizer, prompt, options);
  EXPECT_EQ(naive.tokens, cached.generation.tokens);
  EXPECT_EQ(naive.reason, cached.generation.reason);
}

using RealModel = NeedsSmolLm2;

// Guards exactness on SmolLM2: a sample of splits of 40 tokens.
TEST_F(RealModel, GivesTheNaiveLogitsForASampleOfSplits) {
  // Oracle: the naive twin.
  const GgufFile file = GgufFile::open(path_);
  const Model model = load_model(file);
  const std::vector<int> tokens = first_tokens(Tokenizer::from_gguf(file), 40);
  const Matrix naive = naive_logits(model, tokens);
  for (const auto& parts : {prompt_then_steps(1, 40), prompt_then_steps(27, 40), chunks(7, 40), chunks(16, 40),
                            chunks(40, 40), std::vector<int>{5, 1, 1, 12, 1, 3, 1, 16}}) {
    EXPECT_TRUE(same_logits(model, tokens, parts, naive)) << parts.size() << " parts, the first of " << parts[0];
  }
  Random random(1);
  for (int i = 0; i < 6; ++i) {
    const std::vector<int> parts = random_split(random, 40);
    EXPECT_TRUE(same_logits(model, tokens, parts, naive)) << parts.size() << " parts, draw " << i;
  }
}

// Guards exactness on SmolLM2: 200 tokens of greedy text. Naive generation would take each of them as the most likely
// one after all before it, and one naive pass over the whole text shows that for all at once.
TEST_F(RealModel, WritesTheTextOfNaiveGeneration) {
  // Oracle: the naive twin.
  const GgufFile file = GgufFile::open(path_);
  const Model model = load_model(file);
  const Tokenizer tokenizer = Tokenizer::from_gguf(file);
  const std::vector<int> prompt = tokenizer.encode_chat("Tell me about the moon.");
  const std::vector<int> written = generate_cached(model, tokenizer, prompt, {.max_tokens = 200}).generation.tokens;
  ASSERT_GE(written.size(), 50u) << "the test needs a longer answer";
  std::vector<int> whole = prompt;
  whole.insert(whole.end(), written.begin(), written.end());
  const Matrix naive = naive_logits(model, whole, false);
  for (std::size_t i = 0; i < written.size(); ++i) {
    Index best = 0;
    naive.row(Index(prompt.size() + i) - 1).maxCoeff(&best);
    EXPECT_EQ(written[i], int(best)) << "token " << i;
  }
}

}  // namespace
}  // namespace waitless
