// The attention that the programs use, on every mask and shape that the simple one takes.

#include "tiled_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "attention.h"
#include "common/testing/compare.h"
#include "common/testing/random_model.h"

namespace waitless {
namespace {

struct Inputs {
  Config config;
  Matrix q, k, v;
};

Inputs random_inputs(int T, int n_heads, int n_kv_heads, int head_dim) {
  Config config;
  config.n_heads = n_heads;
  config.n_kv_heads = n_kv_heads;
  config.head_dim = head_dim;
  return {config, random_matrix(T, config.q_dim(), 1) * 3, random_matrix(T, config.kv_dim(), 2),
          random_matrix(T, config.kv_dim(), 3)};
}

Matrix tiled(const Inputs& in, const Batch& batch) {
  TiledAttention attention;
  Matrix out = Matrix::Constant(in.q.rows(), in.q.cols(), 99.0f);
  attention.begin_step(batch);
  attention.attend(in.config, in.q, in.k, in.v, batch, out);
  return out;
}

testing::AssertionResult same_as_simple(const Inputs& in, const Batch& batch) {
  Matrix simple(in.q.rows(), in.q.cols());
  attention(in.config, in.q, in.k, in.v, batch, simple);
  return near(simple, tiled(in, batch), 5e-6);
}

// Guards the tiles: sizes around those of a tile of queries (64) and a KV tile (256), heads shared and not.
TEST(TiledAttention, IsTheSimpleOneForAnyShape) {
  // Oracle: the simple twin.
  for (const auto& [T, heads, kv_heads, head_dim] :
       {std::tuple{1, 1, 1, 2}, {7, 4, 1, 16}, {8, 2, 2, 6}, {65, 9, 3, 64}, {257, 4, 2, 8}, {600, 2, 1, 4}}) {
    EXPECT_TRUE(same_as_simple(random_inputs(T, heads, kv_heads, head_dim), Batch::causal(0, 0, T))) << T << " rows";
  }
  EXPECT_EQ(tiled(random_inputs(0, 2, 1, 4), Batch()).rows(), 0);
}

// Guards the masks: a mixture of every kind of row, interleaved sequences, contexts, rows behind gists.
TEST(TiledAttention, IsTheSimpleOneUnderAnyMask) {
  // Oracle: the simple twin.
  Batch batch;
  for (int t = 0; t < 70; ++t) batch.add_causal(t % 3, t / 3, 1);
  batch.add_bidirectional_block(0, 30, 40);
  batch.append(Batch::tree(1, 30, {Batch::kRoot, 0, 0, 1, Batch::kRoot, 4, 5, 5, 2}));
  batch.add_prefix_causal(5, 0, 90, 60);
  batch.add_causal(6, 0, 80);
  for (int t = batch.n_rows() - 30; t < batch.n_rows(); ++t) batch.first_visible[t] = 50;
  const int first = batch.n_rows();
  batch.add_causal(7, 0, 12);
  batch.context.resize(batch.n_rows());
  for (int t = first; t < batch.n_rows(); ++t) batch.context[t] = {5, 20 + t - first, 70};
  batch.check();
  EXPECT_TRUE(same_as_simple(random_inputs(batch.n_rows(), 4, 2, 6), batch));
}

// Guards rows in no order, who see only what is near.
TEST(TiledAttention, IsTheSimpleOneForPositionsInAnyOrder) {
  // Oracle: the simple twin.
  Batch batch = Batch::causal(0, 0, 500);
  for (int t = 0; t < 500; ++t) {
    batch.position[t] = batch.last_visible[t] = (37 * t + 5) % 500;
    batch.first_visible[t] = std::max(0, batch.position[t] - 40);
  }
  EXPECT_TRUE(same_as_simple(random_inputs(500, 2, 1, 4), batch));
}

// Guards what must not be seen.
TEST(TiledAttention, IsNotMovedByWhatIsHidden) {
  // Oracle: invariance, bit by bit.
  Inputs in = random_inputs(80, 4, 2, 6);
  Batch batch = Batch::causal(0, 0, 70);
  batch.append(Batch::causal(1, 0, 10));
  const Matrix before = tiled(in, batch);
  for (const float poison : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    in.k.row(69).setConstant(poison);
    in.v.row(69).setConstant(poison);
    const Matrix after = tiled(in, batch);
    EXPECT_TRUE(near(before.topRows(69), after.topRows(69), 1e-6)) << "a later token leaks";
    EXPECT_EQ(before.bottomRows(10), after.bottomRows(10)) << "another sequence leaks";
  }
}

// Guards the maximum that is subtracted.
TEST(TiledAttention, TakesScoresOfAnySize) {
  // Oracle: the simple twin. Scores of about 200, and all of them below -200.
  Inputs in = random_inputs(70, 2, 1, 4);
  in.q *= 30;
  EXPECT_TRUE(same_as_simple(in, Batch::causal(0, 0, 70)));
  in.q.setConstant(1);
  in.k.setConstant(-200);
  EXPECT_TRUE(same_as_simple(in, Batch::causal(0, 0, 70)));
}

// Guards that one object serves models and batches of all sizes in turn.
TEST(TiledAttention, RemembersNothingOfOtherShapes) {
  // Oracle: invariance. Heads of 4, then of 64, then of 4 again.
  TiledAttention attention;
  for (const auto& [T, head_dim] : {std::pair{6, 4}, {2, 64}, {300, 4}, {3, 64}}) {
    const Inputs in = random_inputs(T, 4, 2, head_dim);
    const Batch batch = Batch::causal(0, 0, T);
    Matrix out(T, in.q.cols());
    attention.begin_step(batch);
    attention.attend(in.config, in.q, in.k, in.v, batch, out);
    EXPECT_EQ(out, tiled(in, batch)) << T << " rows, head_dim " << head_dim;
  }
}

// Guards against a step that was planned for another batch.
TEST(TiledAttention, RefusesABatchThatTheStepDidNotBeginWith) {
  // Oracle: the header.
  const Inputs in = random_inputs(3, 4, 2, 6);
  TiledAttention attention;
  Matrix out(3, 24);
  EXPECT_THROW(attention.attend(in.config, in.q, in.k, in.v, Batch::causal(0, 0, 3), out), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
