#include "attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "common/testing/compare.h"
#include "common/testing/random_model.h"
#include "oracles.h"

namespace waitless {
namespace {

Config shape(int n_heads, int n_kv_heads, int head_dim) {
  Config config;
  config.n_heads = n_heads;
  config.n_kv_heads = n_kv_heads;
  config.head_dim = head_dim;
  return config;
}

struct Inputs {
  Config config;
  Matrix q, k, v;
};

Inputs random_inputs(int T, int n_heads, int n_kv_heads, int head_dim) {
  const Config config = shape(n_heads, n_kv_heads, head_dim);
  return {config, random_matrix(T, config.q_dim(), 1) * 3, random_matrix(T, config.kv_dim(), 2),
          random_matrix(T, config.kv_dim(), 3)};
}

Matrix attention_of(const Inputs& in, const Batch& batch) {
  Matrix out = Matrix::Constant(in.q.rows(), in.q.cols(), 99.0f);
  attention(in.config, in.q, in.k, in.v, batch, out);
  return out;
}

oracle::MatrixXd expected(const Inputs& in, const Batch& batch) {
  return oracle::attention(in.config, in.q.cast<double>(), in.k.cast<double>(), in.v.cast<double>(), batch);
}

// Grades exercise 1.5.
TEST(Attention, OfOneHeadAndTwoTokensIsTheHandComputedMix) {
  // Oracle: by hand. Head of 4: scores of row 1 are (0, 2 ln 3) / sqrt(4), so its weights are 1 : 3.
  const float two_ln_3 = 2.1972246f;
  const Inputs in{shape(1, 1, 4), Matrix{{0, 0, 0, 0}, {1, 0, 0, 0}}, Matrix{{0, 0, 0, 0}, {two_ln_3, 0, 0, 0}},
                  Matrix{{4, 0, 0, 8}, {8, 4, 0, 0}}};
  EXPECT_TRUE(near(Matrix{{4, 0, 0, 8}, {7, 3, 0, 2}}, attention_of(in, Batch::causal(0, 0, 2)), 1e-6,
                   "(are the scores divided by sqrt(head_dim)?)"));
}

// Grades exercise 1.5.
TEST(Attention, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision. Multi-head, grouped and multi-query.
  for (const auto& [T, heads, kv_heads, head_dim] :
       {std::tuple{1, 1, 1, 2}, {31, 4, 4, 6}, {150, 2, 1, 4}, {33, 6, 2, 8}, {7, 4, 1, 16}, {65, 9, 3, 64}}) {
    const Inputs in = random_inputs(T, heads, kv_heads, head_dim);
    const Batch batch = Batch::causal(0, 0, T);
    EXPECT_TRUE(near(expected(in, batch), attention_of(in, batch), 5e-6,
                     "(query head h uses key/value head h / (n_heads / n_kv_heads))"))
        << T << " tokens, " << heads << " heads on " << kv_heads << ", head_dim " << head_dim;
  }
}

// Grades exercise 1.5.
TEST(Attention, IgnoresTokensAfterTheQuery) {
  // Oracle: invariance. Changing the last key and value may move only the last row, and must move it.
  Inputs in = random_inputs(5, 4, 2, 6);
  const Batch batch = Batch::causal(0, 0, 5);
  const Matrix before = attention_of(in, batch);
  in.k.row(4).setConstant(3.0f);
  in.v.row(4).setConstant(100.0f);
  const Matrix after = attention_of(in, batch);
  EXPECT_TRUE(near(before.topRows(4), after.topRows(4), 1e-6, "(the mask lets a query see a later token)"));
  EXPECT_NE(before.row(4), after.row(4));
}

// Grades exercise 1.5.
TEST(Attention, FollowsPositionsNotTheOrderOfRows) {
  // Oracle: invariance. Rows in another order, positions along with them, give the same rows in that order.
  const Inputs in = random_inputs(4, 2, 1, 4);
  const int order[] = {2, 0, 3, 1};
  Inputs shuffled = in;
  Batch batch = Batch::causal(0, 0, 4), shuffled_batch = batch;
  for (int t = 0; t < 4; ++t) {
    shuffled.q.row(t) = in.q.row(order[t]);
    shuffled.k.row(t) = in.k.row(order[t]);
    shuffled.v.row(t) = in.v.row(order[t]);
    shuffled_batch.position[t] = shuffled_batch.last_visible[t] = order[t];
  }
  const Matrix plain = attention_of(in, batch), got = attention_of(shuffled, shuffled_batch);
  for (int t = 0; t < 4; ++t) EXPECT_TRUE(near(plain.row(order[t]), got.row(t), 1e-6)) << "row " << t;
}

// Grades exercise 1.5.
TEST(Attention, KeepsSequencesApart) {
  // Oracle: double precision, and invariance: rows of sequence 1 do not notice sequence 0.
  Inputs in = random_inputs(6, 4, 2, 6);
  Batch batch = Batch::causal(0, 0, 3);
  batch.append(Batch::causal(1, 0, 3));
  const Matrix before = attention_of(in, batch);
  EXPECT_TRUE(near(expected(in, batch), before, 5e-6));
  in.k.topRows(3).setConstant(2.0f);
  in.v.topRows(3).setConstant(50.0f);
  EXPECT_TRUE(
      near(before.bottomRows(3), attention_of(in, batch).bottomRows(3), 1e-6, "(a query sees another sequence)"));
}

// Grades exercise 1.5.
TEST(Attention, LetsABlockSeeItselfBothWays) {
  // Oracle: double precision. Causal tokens, then a block of tokens that see each other.
  for (const auto& [causal, block] : {std::pair{3, 4}, {40, 60}}) {
    const Inputs in = random_inputs(causal + block, 2, 2, 4);
    Batch batch = Batch::causal(0, 0, causal);
    batch.append(Batch::bidirectional_block(0, causal, block));
    EXPECT_TRUE(near(expected(in, batch), attention_of(in, batch), 5e-6, "(ask batch.sees(t, s))"))
        << causal << " causal tokens and a block of " << block;
  }
}

// Grades exercise 1.5.
TEST(Attention, LetsATreeSeeItsAncestorsOnly) {
  // Oracle: double precision. A prompt of 3, then two branches whose rows share positions.
  const Inputs in = random_inputs(9, 4, 2, 6);
  Batch batch = Batch::causal(0, 0, 3);
  batch.append(Batch::tree(0, 3, {Batch::kRoot, 0, 0, 1, Batch::kRoot, 4}));
  EXPECT_TRUE(near(expected(in, batch), attention_of(in, batch), 5e-6, "(ask batch.sees(t, s))"));
}

// Grades exercise 1.5.
TEST(Attention, OfNothingIsNothing) {
  // Oracle: the header.
  const Inputs in = random_inputs(0, 4, 2, 6);
  EXPECT_EQ(attention_of(in, Batch()).rows(), 0);
}

// Grades exercise 1.5.
TEST(Attention, IsNotMovedByWhatIsHidden) {
  // Oracle: invariance. Infinity and NaN in a later token and in another sequence.
  Inputs in = random_inputs(6, 4, 2, 6);
  Batch batch = Batch::causal(0, 0, 4);
  batch.append(Batch::causal(1, 0, 2));
  const Matrix before = attention_of(in, batch);
  for (const float poison : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    in.v.row(3).setConstant(poison);
    const Matrix after = attention_of(in, batch);
    EXPECT_TRUE(near(before.topRows(3), after.topRows(3), 1e-6, "(a later token leaks: 0 times infinity is NaN)"));
    EXPECT_TRUE(
        near(before.bottomRows(2), after.bottomRows(2), 1e-6, "(another sequence leaks: 0 times infinity is NaN)"));
  }
}

// Grades exercise 1.5.
TEST(Attention, LeavesHiddenRowsOutEvenUnderVeryNegativeScores) {
  // Oracle: by hand. The scores of row 0 are -20,000 for itself and 0 for the later row, which it must not see.
  const Inputs in{shape(1, 1, 1), Matrix{{200}, {0}}, Matrix{{-100}, {0}}, Matrix{{1}, {2}}};
  EXPECT_TRUE(near(Matrix{{1}, {1.5f}}, attention_of(in, Batch::causal(0, 0, 2)), 1e-6,
                   "(a hidden row has weight exactly 0: no large negative number takes the place of -infinity)"));
}

// Grades exercise 1.5.
TEST(Attention, OfManyRowsInAnyOrderMatchesDoublePrecision) {
  // Oracle: double precision. 100 rows whose positions jump about, and who see only the last 40 positions.
  const Inputs in = random_inputs(100, 4, 2, 6);
  Batch batch = Batch::causal(0, 0, 100);
  for (int t = 0; t < 100; ++t) {
    batch.position[t] = batch.last_visible[t] = (37 * t + 5) % 100;
    batch.first_visible[t] = std::max(0, batch.position[t] - 40);
  }
  EXPECT_TRUE(near(expected(in, batch), attention_of(in, batch), 5e-6, "(ask batch.sees(t, s))"));
}

// Grades exercise 1.5.
TEST(Attention, RefusesShapesThatDoNotFit) {
  // Oracle: the header.
  const Inputs in = random_inputs(3, 4, 2, 6);
  Matrix out(3, 24), narrow(3, 12);
  const Batch batch = Batch::causal(0, 0, 3);
  EXPECT_THROW(attention(in.config, in.k, in.k, in.v, batch, out), std::invalid_argument);
  EXPECT_THROW(attention(in.config, in.q, in.q, in.v, batch, out), std::invalid_argument);
  EXPECT_THROW(attention(in.config, in.q, in.k, in.q, batch, out), std::invalid_argument);
  EXPECT_THROW(attention(in.config, in.q, in.k, in.v, batch, narrow), std::invalid_argument);
  EXPECT_THROW(attention(in.config, in.q, in.k, in.v, Batch::causal(0, 0, 2), out), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
