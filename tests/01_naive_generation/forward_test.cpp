#include "forward.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "common/testing/allocation_counter.h"
#include "common/testing/compare.h"
#include "common/testing/random_model.h"
#include "oracles.h"

namespace waitless {
namespace {

std::vector<int> some_tokens(int n) {
  std::vector<int> tokens(n);
  for (int t = 0; t < n; ++t) tokens[t] = (t * 17 + 3) % small_config().vocab_size;
  return tokens;
}

Batch with_all_logits(Batch batch) {
  batch.logit_rows.resize(batch.n_rows());
  std::iota(batch.logit_rows.begin(), batch.logit_rows.end(), 0);
  return batch;
}

Matrix forward_of(const Model& model, const std::vector<int>& tokens, const Batch& batch) {
  Workspace workspace;
  Matrix logits = Matrix::Constant(Index(batch.logit_rows.size()), model.config.vocab_size, 99.0f);
  forward(model, tokens, batch, naive_ops(model.config), workspace, logits);
  return logits;
}

// Grades exercise 1.7.
TEST(Embed, CopiesTheRowOfEachToken) {
  // Oracle: by hand.
  const Model model = random_model(small_config());
  Matrix x(3, model.config.d_model);
  embed(model, std::vector{4, 0, 49}, x);
  EXPECT_EQ(x.row(0), model.token_embedding.f32().row(4));
  EXPECT_EQ(x.row(1), model.token_embedding.f32().row(0));
  EXPECT_EQ(x.row(2), model.token_embedding.f32().row(49));
}

// Grades exercise 1.7.
TEST(Embed, RefusesTokensOutsideTheVocabulary) {
  // Oracle: the header.
  const Model model = random_model(small_config());
  Matrix x(1, model.config.d_model);
  EXPECT_THROW(embed(model, std::vector{50}, x), std::out_of_range);
  EXPECT_THROW(embed(model, std::vector{-1}, x), std::out_of_range);
}

// Grades exercise 1.7.
TEST(Forward, MatchesDoublePrecision) {
  // Oracle: an independent decoder in double precision. 1, 31 and 33 tokens; logits of every row.
  const Model model = random_model(small_config());
  for (int T : {1, 2, 31, 33}) {
    const Batch batch = with_all_logits(Batch::causal(0, 0, T));
    EXPECT_TRUE(near(oracle::forward(model, some_tokens(T), batch), forward_of(model, some_tokens(T), batch), 2e-5,
                     "(two norms, two residual additions a layer; RoPE on queries and keys only)"))
        << T << " tokens";
  }
}

// Grades exercise 1.7.
TEST(Forward, TakesEpsilonAndRopeFromTheModel) {
  // Oracle: double precision. Models differ in both.
  Config config = small_config();
  config.norm_eps = 0.3f;
  config.rope = {.base = 100.0f, .position_scale = 2.0f};
  const Model model = random_model(config);
  const Batch batch = with_all_logits(Batch::causal(0, 0, 9));
  EXPECT_TRUE(near(oracle::forward(model, some_tokens(9), batch), forward_of(model, some_tokens(9), batch), 2e-5,
                   "(config.norm_eps and config.rope)"));
}

// Grades exercise 1.7.
TEST(Forward, IsIndifferentToWhereASequenceStarts) {
  // Oracle: invariance and double precision. RoPE makes scores depend on distances, so positions 100, 101, ... give
  // the logits of 0, 1, ...; positions with gaps give others, and the right ones.
  const Model model = random_model(small_config());
  const std::vector<int> tokens = some_tokens(5);
  Batch gaps = Batch::causal(0, 0, 5);
  gaps.position = gaps.horizon = {0, 3, 4, 9, 20};
  EXPECT_TRUE(near(forward_of(model, tokens, Batch::causal(0, 0, 5)),
                   forward_of(model, tokens, Batch::causal(0, 100, 5)), 5e-5));
  EXPECT_TRUE(near(oracle::forward(model, tokens, gaps), forward_of(model, tokens, gaps), 2e-5,
                   "(rotate by batch.position, not by the row number)"));
}

// Grades exercise 1.7.
TEST(Forward, LeavesEarlierLogitsUntouchedByALaterToken) {
  // Oracle: invariance. Changing token t leaves the logits before t bit-identical.
  const Model model = random_model(small_config());
  const Batch batch = with_all_logits(Batch::causal(0, 0, 6));
  std::vector<int> tokens = some_tokens(6);
  const Matrix before = forward_of(model, tokens, batch);
  tokens[4] = (tokens[4] + 1) % model.config.vocab_size;
  const Matrix after = forward_of(model, tokens, batch);
  EXPECT_EQ(before.topRows(4), after.topRows(4));
  EXPECT_NE(before.row(4), after.row(4));
  EXPECT_NE(before.row(5), after.row(5));
}

// Grades exercise 1.7.
TEST(Forward, GivesTheLogitsThatWereAskedForInOrder) {
  // Oracle: invariance.
  const Model model = random_model(small_config());
  Batch some = with_all_logits(Batch::causal(0, 0, 6));
  const Matrix all = forward_of(model, some_tokens(6), some);
  some.logit_rows = {5, 1};
  const Matrix got = forward_of(model, some_tokens(6), some);
  EXPECT_TRUE(near(all.row(5), got.row(0), 1e-5));
  EXPECT_TRUE(near(all.row(1), got.row(1), 1e-5));
}

// Grades exercise 1.7.
TEST(DecodeLayers, RunsARangeOfLayers) {
  // Oracle: invariance and double precision. Two halves in turn are the whole; no layers change nothing.
  const Model model = random_model(small_config());
  const Batch batch = Batch::causal(0, 0, 4);
  const Ops ops = naive_ops(model.config);
  const Matrix start = random_matrix(4, model.config.d_model);
  Workspace workspace;
  Matrix whole = start, halves = start, none = start;
  decode_layers(model, whole, batch, ops, workspace, 0, 2);
  decode_layers(model, halves, batch, ops, workspace, 0, 1);
  EXPECT_TRUE(near(oracle::decode_layers(model, start.cast<double>(), batch, 0, 1), halves, 1e-5));
  decode_layers(model, halves, batch, ops, workspace, 1, 2);
  decode_layers(model, none, batch, ops, workspace, 1, 1);
  EXPECT_TRUE(near(oracle::decode_layers(model, start.cast<double>(), batch, 0, 2), whole, 1e-5));
  EXPECT_EQ(whole, halves);
  EXPECT_EQ(none, start);
}

// Grades exercise 1.7.
TEST(DecodeLayers, RefusesWhatDoesNotFit) {
  // Oracle: the header.
  const Model model = random_model(small_config());
  const Ops ops = naive_ops(model.config);
  Workspace workspace;
  Matrix x = random_matrix(3, model.config.d_model), narrow = random_matrix(3, 7), logits(1, model.config.vocab_size);
  EXPECT_THROW(decode_layers(model, x, Batch::causal(0, 0, 2), ops, workspace, 0, 2), std::invalid_argument);
  EXPECT_THROW(decode_layers(model, narrow, Batch::causal(0, 0, 3), ops, workspace, 0, 2), std::invalid_argument);
  EXPECT_THROW(decode_layers(model, x, Batch::causal(0, 0, 3), ops, workspace, 0, 3), std::invalid_argument);
  EXPECT_THROW(decode_layers(model, x, Batch::causal(0, 0, 3), ops, workspace, 2, 1), std::invalid_argument);
  EXPECT_THROW(forward(model, std::vector{1, 2}, Batch::causal(0, 0, 3), ops, workspace, logits),
               std::invalid_argument);
}

// Grades exercise 1.7.
TEST(DecodeLayers, AllocatesNothingOnceTheWorkspaceHasGrown) {
  // Oracle: counting. The operators are replaced by ones that touch no memory of their own.
  if (!counts_allocations) GTEST_SKIP() << "counting allocations needs glibc without a sanitizer";
  const Model model = random_model(small_config());
  Ops ops;
  ops.linear = [](const Weight&, const ConstMatrixRef&, MatrixRef out) { out.setZero(); };
  ops.attention = [](int, const auto&, const auto&, const auto&, const Batch&, MatrixRef out) { out.setZero(); };
  const Batch batch = Batch::causal(0, 0, 5);
  Matrix x = random_matrix(5, model.config.d_model);
  Workspace workspace;
  decode_layers(model, x, batch, ops, workspace, 0, 2);
  const std::int64_t before = allocation_count();
  decode_layers(model, x, batch, ops, workspace, 0, 2);
  EXPECT_EQ(allocation_count() - before, 0);
}

// Guards the whole pass: a step with one row allocates nothing at all, Eigen's products included.
TEST(Forward, OfOneTokenAllocatesNothing) {
  // Oracle: counting.
  if (!counts_allocations) GTEST_SKIP() << "counting allocations needs glibc without a sanitizer";
  const Model model = random_model(small_config());
  const Ops ops = naive_ops(model.config);
  const Batch batch = Batch::causal(0, 0, 1);
  const std::vector<int> tokens = {7};
  Workspace workspace;
  Matrix logits(1, model.config.vocab_size);
  forward(model, tokens, batch, ops, workspace, logits);
  const std::int64_t before = allocation_count();
  forward(model, tokens, batch, ops, workspace, logits);
  EXPECT_EQ(allocation_count() - before, 0);
}

}  // namespace
}  // namespace waitless
