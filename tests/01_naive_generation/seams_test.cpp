// The forward pass serves every later chapter without being edited. Each test here stands for one of them and
// changes the pass only from outside: through the batch, the inputs, or one of the operators.

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

#include "attention.h"
#include "common/testing/compare.h"
#include "common/testing/random_model.h"
#include "forward.h"
#include "linear.h"
#include "oracles.h"

namespace waitless {
namespace {

Matrix forward_of(const Model& model, const std::vector<int>& tokens, const Batch& batch, const Ops& ops) {
  Workspace workspace;
  Matrix logits(Index(batch.logit_rows.size()), model.config.vocab_size);
  forward(model, tokens, batch, ops, workspace, logits);
  return logits;
}

// Grades exercise 1.7.
TEST(Seams, TwoInterleavedSequencesDoNotMix) {
  // Oracle: each sequence alone. Rows alternate: a0 b0 a1 b1 a2 b2 (chapter 04 batches requests like this).
  const Model model = random_model(small_config());
  const Ops ops = naive_ops(model.config);
  const std::vector<int> a = {5, 6, 7}, b = {40, 3, 12};
  Batch batch;
  std::vector<int> tokens;
  for (int t = 0; t < 3; ++t) {
    batch.append(Batch::causal(0, t, 1));
    batch.append(Batch::causal(1, t, 1));
    tokens.insert(tokens.end(), {a[t], b[t]});
  }
  batch.logit_rows = {4, 5};
  const Matrix together = forward_of(model, tokens, batch, ops);
  EXPECT_TRUE(near(forward_of(model, a, Batch::causal(0, 0, 3), ops).row(0), together.row(0), 1e-5));
  EXPECT_TRUE(near(forward_of(model, b, Batch::causal(1, 0, 3), ops).row(0), together.row(1), 1e-5));
}

// Grades exercise 1.7.
TEST(Seams, ABranchOfATreeIsTheSequenceAlongItsPath) {
  // Oracle: each path alone. After the prompt (1, 2) the tree 9 -> {10 -> 11, 20} (chapter 08 verifies drafts like
  // this).
  const Model model = random_model(small_config());
  const Ops ops = naive_ops(model.config);
  Batch batch = Batch::causal(0, 0, 2);
  batch.append(Batch::tree(0, 2, {Batch::kRoot, 0, 1, 0}));
  const Matrix logits = forward_of(model, {1, 2, 9, 10, 11, 20}, batch, ops);  // rows: last of prompt, 4 of the tree
  const auto along = [&](const std::vector<int>& path) {
    return forward_of(model, path, Batch::causal(0, 0, int(path.size())), ops).row(0).eval();
  };
  EXPECT_TRUE(near(along({1, 2}), logits.row(0), 1e-5));
  EXPECT_TRUE(near(along({1, 2, 9}), logits.row(1), 1e-5));
  EXPECT_TRUE(near(along({1, 2, 9, 10}), logits.row(2), 1e-5));
  EXPECT_TRUE(near(along({1, 2, 9, 10, 11}), logits.row(3), 1e-5));
  EXPECT_TRUE(near(along({1, 2, 9, 20}), logits.row(4), 1e-5)) << "siblings must not see each other";
}

/// A cache in a few lines: rows with a slot are stored, and every row attends to what is stored and to the batch.
class ToyCache {
 public:
  ToyCache(const Config& config, int n_slots) : config_(config) {
    for (Matrix& m : keys_) m = Matrix::Zero(n_slots, config.kv_dim());
    for (Matrix& m : values_) m = Matrix::Zero(n_slots, config.kv_dim());
  }

  Ops ops() {
    Ops ops = naive_ops(config_);
    ops.attention = [this](int layer, const auto& q, const auto& k, const auto& v, const Batch& batch, MatrixRef out) {
      const Index stored = Index(stored_.position.size()), T = batch.n_rows();
      Matrix all_q(stored + T, q.cols()), all_k(stored + T, k.cols()), all_v(stored + T, v.cols());
      all_q << Matrix::Zero(stored, q.cols()), q;
      all_k << keys_[layer].topRows(stored), k;
      all_v << values_[layer].topRows(stored), v;
      Batch all = stored_;
      all.append(batch);
      Matrix attended(stored + T, out.cols());
      attention(config_, all_q, all_k, all_v, all, attended);
      out = attended.bottomRows(T);
      for (Index t = 0; t < T; ++t) {
        if (batch.slot[t] == Batch::kNotStored) continue;
        keys_[layer].row(batch.slot[t]) = k.row(t);
        values_[layer].row(batch.slot[t]) = v.row(t);
        ++rows_written;
      }
    };
    return ops;
  }

  void commit(const Batch& batch) { stored_.append(batch); }

  int rows_written = 0;

 private:
  Config config_;
  std::array<Matrix, 2> keys_, values_;  // a layer each
  Batch stored_;
};

// Grades exercise 1.7.
TEST(Seams, ABlockReadsTheCacheWithoutBeingStored) {
  // Oracle: double precision over prompt and block at once. The block sees itself both ways (chapter 07 denoises like
  // this, several times over the same cache).
  const Model model = random_model(small_config());
  ToyCache cache(model.config, 8);
  const Ops ops = cache.ops();
  const Batch prompt = Batch::causal(0, 0, 3), block = Batch::bidirectional_block(0, 3, 4);
  forward_of(model, {1, 2, 3}, prompt, ops);
  cache.commit(prompt);
  EXPECT_EQ(cache.rows_written, 3 * model.config.n_layers);

  const Matrix first_try = forward_of(model, {30, 31, 32, 33}, block, ops);
  const Matrix second_try = forward_of(model, {30, 41, 32, 33}, block, ops);
  EXPECT_EQ(cache.rows_written, 3 * model.config.n_layers) << "a row without a slot was stored";

  Batch whole = prompt;
  whole.append(block);
  whole.logit_rows = {3, 4, 5, 6};
  EXPECT_TRUE(near(oracle::forward(model, std::vector{1, 2, 3, 30, 31, 32, 33}, whole), first_try, 2e-5));
  EXPECT_TRUE(near(oracle::forward(model, std::vector{1, 2, 3, 30, 41, 32, 33}, whole), second_try, 2e-5));
}

// Grades exercise 1.7.
TEST(Seams, InputsNeedNotBeTokens) {
  // Oracle: double precision. Two learned vectors stand before two tokens (chapter 09: soft prompts, gists, images).
  const Model model = random_model(small_config());
  Matrix x(4, model.config.d_model);
  x.topRows(2) = random_matrix(2, model.config.d_model, 77);
  embed(model, std::vector{8, 9}, x.bottomRows(2));
  const Matrix start = x;
  const Batch batch = Batch::causal(0, 0, 4);
  Workspace workspace;
  decode_layers(model, x, batch, naive_ops(model.config), workspace, 0, model.config.n_layers);
  EXPECT_TRUE(near(oracle::decode_layers(model, start.cast<double>(), batch, 0, 2), x, 1e-5));
  Matrix hidden(2, model.config.d_model);
  final_norm(model, x, std::vector{3, 2}, hidden);
  const oracle::MatrixXd normed = oracle::rms_norm(x.cast<double>(), oracle::values(model.output_norm), 1e-5);
  EXPECT_TRUE(near(normed.row(3), hidden.row(0), 1e-5));
  EXPECT_TRUE(near(normed.row(2), hidden.row(1), 1e-5));
}

// Grades exercise 1.7.
TEST(Seams, ARecurrentMixerReplacesAttentionWhole) {
  // Oracle: one row at a time. State decays by half at each token (chapter 06 puts linear attention here). Attention
  // must not run at all.
  const Model model = random_model(small_config());
  const auto recurrent_ops = [&](std::map<int, Matrix>* state) {
    Ops ops = naive_ops(model.config);
    ops.attention = [](int, const auto&, const auto&, const auto&, const Batch&, MatrixRef) {
      FAIL() << "attention ran although the mixer was replaced";
    };
    ops.mixer = [state](int layer, const ConstMatrixRef& x, const Batch&, MatrixRef out) {
      Matrix& s = state->try_emplace(layer, Matrix::Zero(1, x.cols())).first->second;
      for (Index t = 0; t < x.rows(); ++t) out.row(t) = s = 0.5f * s + x.row(t);
    };
    return ops;
  };
  std::map<int, Matrix> state_of_whole, state_of_steps;
  const Matrix whole = forward_of(model, {4, 5, 6}, Batch::causal(0, 0, 3), recurrent_ops(&state_of_whole));
  const Ops step_ops = recurrent_ops(&state_of_steps);
  Matrix last;
  for (int t = 0; t < 3; ++t) last = forward_of(model, {4 + t}, Batch::causal(0, t, 1), step_ops);
  EXPECT_EQ(state_of_whole.size(), 2u);
  EXPECT_TRUE(near(whole, last, 1e-5));
}

// Grades exercise 1.7.
TEST(Seams, AnInt8WeightOnlyNeedsAnotherLinear) {
  // Oracle: the same pass on the dequantized numbers. One scale a row (chapter 10 quantizes like this).
  Model model = random_model(small_config());
  struct Int8 {
    Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> codes;
    Eigen::VectorXf scale;
  };
  std::map<int, Int8> quantized;  // the `up` weight of each layer
  Model dequantized = model;
  for (int l = 0; l < model.config.n_layers; ++l) {
    const auto w = model.layers[l].up.f32();
    Int8& q = quantized[l];
    q.scale = w.cwiseAbs().rowwise().maxCoeff() / 127.0f;
    q.codes = (q.scale.cwiseInverse().asDiagonal() * w).array().round().matrix().cast<std::int8_t>();
    dequantized.layers[l].up = make_weight(q.scale.asDiagonal() * q.codes.cast<float>(), WeightRole::kUp, l);
    model.layers[l].up.data = nullptr;  // whoever reads the float weight crashes
  }
  Ops ops = naive_ops(model.config);
  int calls = 0;
  ops.linear = [&](const Weight& w, const ConstMatrixRef& x, MatrixRef out) {
    if (w.role != WeightRole::kUp) return linear(w, x, out);
    const Int8& q = quantized.at(w.layer);
    out = x * q.codes.cast<float>().transpose() * q.scale.asDiagonal();
    ++calls;
  };
  const Batch batch = Batch::causal(0, 0, 3);
  const Matrix got = forward_of(model, {4, 5, 6}, batch, ops);
  EXPECT_EQ(calls, model.config.n_layers);
  EXPECT_TRUE(near(oracle::forward(dequantized, std::vector{4, 5, 6}, batch), got, 2e-5));
}

}  // namespace
}  // namespace waitless
