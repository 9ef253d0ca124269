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

Matrix forward_of(const Model& model, const std::vector<int>& tokens, Batch batch, const Ops& ops) {
  batch.token = tokens;
  Workspace workspace;
  Matrix logits(Index(batch.logit_rows.size()), model.config.vocab_size);
  forward(model, batch, ops, workspace, logits);
  return logits;
}

// Grades exercise 1.9.
TEST(Seams, TwoInterleavedSequencesDoNotMix) {
  // Oracle: each sequence alone. Rows alternate: a0 b0 a1 b1 a2 b2 (chapter 04 batches requests like this).
  const Model model = random_model(small_config());
  const Ops ops = naive_ops();
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

// Grades exercise 1.9.
TEST(Seams, ABranchOfATreeIsTheSequenceAlongItsPath) {
  // Oracle: each path alone. After the prompt (1, 2) the tree 9 -> {10 -> 11, 20} (chapter 08 verifies drafts like
  // this).
  const Model model = random_model(small_config());
  const Ops ops = naive_ops();
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

/// A cache in a few lines: rows that are to be stored are, and every row attends to what is stored and to the batch.
class ToyCache {
 public:
  ToyCache(const Config& config, int n_slots) {
    for (Matrix& m : keys_) m = Matrix::Zero(n_slots, config.kv_dim());
    for (Matrix& m : values_) m = Matrix::Zero(n_slots, config.kv_dim());
  }

  Ops ops() {
    Ops ops = naive_ops();
    ops.attention = [this](const Config& config, int layer, const auto& q, const auto& k, const auto& v,
                           const Batch& batch, MatrixRef out) {
      const Index stored = Index(stored_.position.size()), T = batch.n_rows();
      Matrix all_q(stored + T, q.cols()), all_k(stored + T, k.cols()), all_v(stored + T, v.cols());
      all_q << Matrix::Zero(stored, q.cols()), q;
      all_k << keys_[layer].topRows(stored), k;
      all_v << values_[layer].topRows(stored), v;
      Batch all = stored_;
      all.append(batch);
      Matrix attended(stored + T, out.cols());
      attention(config, all_q, all_k, all_v, all, attended);
      out = attended.bottomRows(T);
      for (Index t = 0; t < T; ++t) {
        if (!batch.is_stored[t]) continue;
        keys_[layer].row(stored + t) = k.row(t);
        values_[layer].row(stored + t) = v.row(t);
        ++rows_written;
      }
    };
    ops.begin_step = [this](const Batch& batch) { step_ = batch; };
    ops.end_step = [this] {
      if (step_.is_stored[0]) stored_.append(step_);
    };
    return ops;
  }

  int rows_written = 0;

 private:
  std::array<Matrix, 2> keys_, values_;  // a layer each
  Batch stored_, step_;
};

// Grades exercise 1.9.
TEST(Seams, ABlockReadsTheCacheWithoutBeingStored) {
  // Oracle: double precision over prompt and block at once. The block sees itself both ways (chapter 07 denoises like
  // this, several times over the same cache).
  const Model model = random_model(small_config());
  ToyCache cache(model.config, 8);
  const Ops ops = cache.ops();
  const Batch prompt = Batch::causal(0, 0, 3), block = Batch::bidirectional_block(0, 3, 4);
  forward_of(model, {1, 2, 3}, prompt, ops);
  EXPECT_EQ(cache.rows_written, 3 * model.config.n_layers);

  const Matrix first_try = forward_of(model, {30, 31, 32, 33}, block, ops);
  const Matrix second_try = forward_of(model, {30, 41, 32, 33}, block, ops);
  EXPECT_EQ(cache.rows_written, 3 * model.config.n_layers) << "a row that is not to be stored was";

  Batch whole = prompt;
  whole.append(block);
  whole.logit_rows = {3, 4, 5, 6};
  EXPECT_TRUE(near(oracle::forward(model, std::vector{1, 2, 3, 30, 31, 32, 33}, whole), first_try, 2e-5));
  EXPECT_TRUE(near(oracle::forward(model, std::vector{1, 2, 3, 30, 41, 32, 33}, whole), second_try, 2e-5));
}

// Grades exercise 1.9.
TEST(Seams, InputsNeedNotBeTokens) {
  // Oracle: double precision. Two learned vectors stand before two tokens (chapter 09: soft prompts, gists, images).
  const Model model = random_model(small_config());
  const Index d_model = model.config.d_model;
  const Matrix soft = random_matrix(2, d_model, 77);
  Batch batch = Batch::causal(0, 0, std::vector{Batch::kVector, Batch::kVector, 8, 9});
  batch.vectors.assign(soft.data(), soft.data() + soft.size());
  batch.logit_rows = {3, 2};
  const Matrix logits = forward_of(model, batch.token, batch, naive_ops());
  oracle::MatrixXd x(4, d_model);
  x << soft.cast<double>(), oracle::embed(model, std::vector{8, 9});
  x = oracle::rms_norm(oracle::decode_layers(model, x, batch, 0, 2), oracle::values(model.output_norm), 1e-5);
  const oracle::MatrixXd expected = x * oracle::values(model.output).transpose();
  EXPECT_TRUE(near(expected.row(3), logits.row(0), 2e-5));
  EXPECT_TRUE(near(expected.row(2), logits.row(1), 2e-5));
}

/// Mixes tokens by a state of one row that decays by half at each token (chapter 06 puts linear attention here).
Mixer recurrent(std::map<int, Matrix>* state) {
  return
      [state](const Model&, int layer, const ConstMatrixRef& x, const Batch&, const Ops&, Workspace&, MatrixRef out) {
        Matrix& s = state->try_emplace(layer, Matrix::Zero(1, x.cols())).first->second;
        for (Index t = 0; t < x.rows(); ++t) out.row(t) = s = 0.5f * s + x.row(t);
      };
}

// Grades exercise 1.9.
TEST(Seams, ARecurrentMixerReplacesAttentionWhole) {
  // Oracle: one row at a time. Attention must not run at all.
  const Model model = random_model(small_config());
  const auto recurrent_ops = [&](std::map<int, Matrix>* state) {
    Ops ops = naive_ops();
    ops.attention = [](const Config&, int, const auto&, const auto&, const auto&, const Batch&, MatrixRef) {
      FAIL() << "attention ran although the mixer was replaced";
    };
    ops.mixers["attention"] = recurrent(state);
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

// Grades exercise 1.8.
TEST(Seams, AHybridMixesEachLayerAsItsKindSays) {
  // Oracle: two passes over ranges of layers, each with ops of one kind. Layer 0 is recurrent, layer 1 attends.
  Model model = random_model(small_config());
  model.layers[0].kind = "recurrent";
  std::map<int, Matrix> state, state_of_range;
  Ops ops = naive_ops(), recurrent_only = naive_ops();
  ops.mixers["recurrent"] = recurrent(&state);
  recurrent_only.mixers = {{"recurrent", recurrent(&state_of_range)}};
  const Batch batch = Batch::causal(0, 0, 3);
  const Matrix start = random_matrix(3, model.config.d_model);
  Workspace workspace;
  Matrix hybrid = start, ranges = start;
  decode_layers(model, hybrid, batch, ops, workspace, 0, 2);
  decode_layers(model, ranges, batch, recurrent_only, workspace, 0, 1);
  decode_layers(model, ranges, batch, naive_ops(), workspace, 1, 2);
  EXPECT_TRUE(near(hybrid, ranges, 1e-6));
  EXPECT_EQ(state.size(), 1u) << "only layer 0 has a state";
}

// Grades exercise 1.8.
TEST(Seams, ALayerMayHaveAMixerOnly) {
  // Oracle: the mixer's result on the normed stream, added. (Chapter 06: layers of a Mamba have no feed-forward block.)
  Model model = random_model(small_config());
  model.layers[1].kind = "copy";
  for (Weight* w :
       {&model.layers[1].feed_forward_norm, &model.layers[1].gate, &model.layers[1].up, &model.layers[1].down}) {
    *w = {};
  }
  Ops ops = naive_ops();
  ops.mixers["copy"] = [](const Model&, int, const ConstMatrixRef& x, const Batch&, const Ops&, Workspace&,
                          MatrixRef out) { out = x; };
  Workspace workspace;
  const Matrix start = random_matrix(3, model.config.d_model);
  Matrix x = start;
  decode_layers(model, x, Batch::causal(0, 0, 3), ops, workspace, 1, 2);
  const oracle::MatrixXd normed =
      oracle::rms_norm(start.cast<double>(), oracle::values(model.layers[1].attention_norm), model.config.norm_eps);
  EXPECT_TRUE(near(start.cast<double>() + normed, x, 1e-5));
}

// Grades exercise 1.9.
TEST(Seams, AMixerMayRunAnotherOne) {
  // Oracle: invariance. A mixer is handed all that attention_mixer() needs, so it can wrap it (a router, a probe).
  const Model model = random_model(small_config());
  int calls = 0;
  Ops wrapped = naive_ops();
  wrapped.mixers["attention"] = [&](const Model& m, int layer, const ConstMatrixRef& x, const Batch& batch,
                                    const Ops& ops, Workspace& workspace, MatrixRef out) {
    ++calls;
    attention_mixer(m, layer, x, batch, ops, workspace, out);
  };
  const Batch batch = Batch::causal(0, 0, 3);
  EXPECT_TRUE(
      near(forward_of(model, {4, 5, 6}, batch, naive_ops()), forward_of(model, {4, 5, 6}, batch, wrapped), 1e-6));
  EXPECT_EQ(calls, 2);
}

// Grades exercise 1.9.
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
  Ops ops = naive_ops();
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
