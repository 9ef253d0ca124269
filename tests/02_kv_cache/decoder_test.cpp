#include "decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "01_naive_generation/forward.h"
#include "01_naive_generation/linear.h"
#include "common/tensor/random.h"
#include "common/testing/allocation_counter.h"
#include "common/testing/compare.h"
#include "common/testing/random_model.h"
#include "common/testing/refuses.h"

namespace waitless {
namespace {

std::vector<int> some_tokens(int n) {
  std::vector<int> tokens(n);
  for (int t = 0; t < n; ++t) tokens[t] = (t * 17 + 3) % small_config().vocab_size;
  return tokens;
}

/// The logits of the last token, everything recomputed.
Matrix naive_logits(const Model& model, std::span<const int> tokens) {
  Workspace workspace;
  Matrix logits(1, model.config.vocab_size);
  forward(model, Batch::causal(0, 0, tokens), naive_ops(), workspace, logits);
  return logits;
}

/// Within 1e-5 of the largest logit.
testing::AssertionResult near_logits(const Matrix& expected, const Matrix& got) {
  const float scale = std::max(1.0f, expected.cwiseAbs().maxCoeff());
  return near(expected / scale, got / scale, 1e-5);
}

/// Goes through the tokens in parts of these sizes, a part of 1 as a decode step if anything came before it, and
/// compares the logits after each part with the naive ones. `naive` [n, V]
testing::AssertionResult same_logits(const Model& model, std::span<const int> tokens, const std::vector<int>& parts,
                                     const Matrix& naive) {
  CachedDecoder decoder(model, int(tokens.size()));
  int done = 0;
  for (const int n : parts) {
    if (n == 1 && done > 0)
      decode_step(decoder, tokens[done]);
    else
      prefill(decoder, tokens.subspan(done, n));
    done += n;
    if (const auto result = near_logits(naive.row(done - 1), decoder.logits); !result) {
      return testing::AssertionFailure() << "after " << done << " tokens: " << result.message();
    }
  }
  return testing::AssertionSuccess();
}

struct NaiveRows {
  Model model = random_model(small_config());
  std::vector<int> tokens = some_tokens(40);
  Matrix logits{40, model.config.vocab_size};
  NaiveRows() {
    for (int n = 1; n <= 40; ++n) logits.row(n - 1) = naive_logits(model, std::span(tokens).first(n));
  }
};

// Grades exercise 2.6.
TEST(Prefill, GivesTheNaiveLogitsOfTheLastToken) {
  // Oracle: the naive twin.
  const NaiveRows naive;
  for (int n : {1, 2, 31, 33, 40}) {
    CachedDecoder decoder(naive.model, 40);
    prefill(decoder, std::span(naive.tokens).first(n));
    EXPECT_TRUE(near_logits(naive.logits.row(n - 1), decoder.logits)) << n << " tokens";
    EXPECT_EQ(decoder.next_position(), n);
  }
}

// Grades exercise 2.6.
TEST(DecodeStep, AfterAnyPromptGivesTheNaiveLogits) {
  // Oracle: the naive twin. Each length of the prompt from 1 to 39, then one token at a time up to 40.
  const NaiveRows naive;
  for (int prompt = 1; prompt < 40; ++prompt) {
    std::vector<int> parts(1 + 40 - prompt, 1);
    parts[0] = prompt;
    EXPECT_TRUE(same_logits(naive.model, naive.tokens, parts, naive.logits))
        << "(does the new token get the position after the cached ones?) prompt of " << prompt;
  }
}

// Grades exercise 2.6.
TEST(Prefill, MaySplitThePromptAnyWay) {
  // Oracle: the naive twin. Every split of 40 tokens into two parts, and 300 random ones into parts of all sizes.
  const NaiveRows naive;
  for (int first = 1; first < 40; ++first) {
    EXPECT_TRUE(same_logits(naive.model, naive.tokens, {first, 40 - first}, naive.logits)) << first << " and the rest";
  }
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const double likelihood = random.uniform();  // of a cut between two tokens
    std::vector<int> parts = {1};
    for (int t = 1; t < 40; ++t) {
      if (random.uniform() < likelihood)
        parts.push_back(1);
      else
        ++parts.back();
    }
    EXPECT_TRUE(same_logits(naive.model, naive.tokens, parts, naive.logits)) << parts.size() << " parts, draw " << i;
  }
}

// Grades exercise 2.6.
TEST(Prefill, InChunksOfAnySizeIsThePrompt) {
  // Oracle: the naive twin.
  const NaiveRows naive;
  for (int chunk_size = 1; chunk_size <= 41; ++chunk_size) {
    CachedDecoder decoder(naive.model, 40);
    prefill(decoder, naive.tokens, chunk_size);
    EXPECT_EQ(decoder.next_position(), 40);
    EXPECT_TRUE(near_logits(naive.logits.row(39), decoder.logits)) << "chunks of " << chunk_size;
  }
}

// Grades exercise 2.6.
TEST(Prefill, ComputesTheLogitsOfOneRowOnly) {
  // Oracle: counting rows at the linear seam.
  const Model model = random_model(small_config());
  CachedDecoder decoder(model, 40);
  std::int64_t output_rows = 0, query_rows = 0;
  decoder.ops.linear = [&](const Weight& w, const ConstMatrixRef& x, MatrixRef out) {
    if (w.role == WeightRole::kOutput) output_rows += x.rows();
    if (w.role == WeightRole::kQuery && w.layer == 0) query_rows += x.rows();
    linear(w, x, out);
  };
  prefill(decoder, some_tokens(20), 6);
  EXPECT_EQ(output_rows, 1) << "only the last row of the last chunk is wanted";
  EXPECT_EQ(query_rows, 20) << "each token goes through the layers once";
}

// Grades exercise 2.6.
TEST(DecodeStep, SendsOneTokenThroughTheLayers) {
  // Oracle: counting rows at the linear seam: one row however long the text is, where the naive way sends them all.
  const Model model = random_model(small_config());
  CachedDecoder decoder(model, 60);
  prefill(decoder, some_tokens(40));
  std::int64_t rows = 0;
  decoder.ops.linear = [&](const Weight& w, const ConstMatrixRef& x, MatrixRef out) {
    if (w.role == WeightRole::kQuery && w.layer == 0) rows += x.rows();
    linear(w, x, out);
  };
  for (int step = 1; step <= 10; ++step) {
    decode_step(decoder, step);
    EXPECT_EQ(rows, step);
  }
}

// Grades exercise 2.6.
TEST(DecodeStep, AllocatesNothing) {
  // Oracle: counting.
  if (!counts_allocations) GTEST_SKIP() << "counting allocations needs glibc without a sanitizer";
  const Model model = random_model(small_config());
  CachedDecoder decoder(model, 60);
  prefill(decoder, some_tokens(30));
  decode_step(decoder, 7);
  const std::int64_t before = allocation_count();
  for (int step = 0; step < 20; ++step) decode_step(decoder, 7 + step);
  EXPECT_EQ(allocation_count() - before, 0);
}

// Grades exercise 2.6.
TEST(DecodeStep, GoesOnAfterARollbackAsIfNothingHadBeen) {
  // Oracle: invariance, bit by bit: the same parts in the same order are the same sums.
  const Model model = random_model(small_config());
  CachedDecoder decoder(model, 40), fresh(model, 40);
  prefill(decoder, some_tokens(20));
  decode_step(decoder, 9);
  decode_step(decoder, 8);
  decoder.cache.slots.truncate(0, 20);
  decode_step(decoder, 7);
  prefill(fresh, some_tokens(20));
  decode_step(fresh, 7);
  EXPECT_EQ(decoder.logits, fresh.logits);
  EXPECT_EQ(decoder.next_position(), 21);
}

// Grades exercise 2.6.
TEST(DecodeStep, GoesOnAtTheNextPositionAfterAnEviction) {
  // Oracle: by hand. Four of six tokens are left in the cache, but the text goes on at position 6.
  const Model model = random_model(small_config());
  CachedDecoder decoder(model, 10);
  prefill(decoder, some_tokens(6));
  decoder.cache.slots.evict(0, 1, 2);
  decode_step(decoder, 9);
  EXPECT_EQ(decoder.next_position(), 7) << "the position is not the number of tokens in the cache";
  prefill(decoder, some_tokens(2));
  EXPECT_EQ(decoder.next_position(), 9);
}

// Grades exercise 2.6.
TEST(Prefill, StoresNothingThatDoesNotFit) {
  // Oracle: invariance. The first chunk would fit.
  const Model model = random_model(small_config());
  CachedDecoder decoder(model, 10), twin(model, 10);
  for (CachedDecoder* d : {&decoder, &twin}) prefill(*d, some_tokens(8));
  EXPECT_TRUE(refuses_with<CacheFull>([&] { prefill(decoder, some_tokens(3), 2); }, {"3", "2"}));
  EXPECT_EQ(decoder.next_position(), 8);
  for (CachedDecoder* d : {&decoder, &twin}) prefill(*d, some_tokens(2));
  EXPECT_EQ(decoder.logits, twin.logits);
  EXPECT_THROW(decode_step(decoder, 1), CacheFull);
  EXPECT_EQ(decoder.next_position(), 10);
}

// Grades exercise 2.6.
TEST(Prefill, RefusesNothingAndNegativeChunks) {
  // Oracle: the header.
  const Model model = random_model(small_config());
  CachedDecoder decoder(model, 10);
  EXPECT_THROW(prefill(decoder, {}), std::invalid_argument);
  EXPECT_THROW(prefill(decoder, some_tokens(3), -1), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
