#include "forward.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "common/testing/allocation_counter.h"
#include "common/testing/compare.h"
#include "common/testing/random_model.h"
#include "common/testing/refuses.h"
#include "oracles.h"
#include "tiled_attention.h"

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

Matrix forward_of(const Model& model, const std::vector<int>& tokens, Batch batch) {
  batch.token = tokens;
  Workspace workspace;
  Matrix logits = Matrix::Constant(Index(batch.logit_rows.size()), model.config.vocab_size, 99.0f);
  forward(model, batch, naive_ops(), workspace, logits);
  return logits;
}

// Grades exercise 1.9.
TEST(Embed, CopiesTheRowOfEachToken) {
  // Oracle: by hand.
  const Model model = random_model(small_config());
  Matrix x(3, model.config.d_model);
  embed(model, Batch::causal(0, 0, std::vector{4, 0, 49}), x);
  EXPECT_EQ(x.row(0), model.token_embedding.f32().row(4));
  EXPECT_EQ(x.row(1), model.token_embedding.f32().row(0));
  EXPECT_EQ(x.row(2), model.token_embedding.f32().row(49));
}

// Grades exercise 1.9.
TEST(Embed, RefusesTokensOutsideTheVocabulary) {
  // Oracle: the header.
  const Model model = random_model(small_config());
  Matrix x(1, model.config.d_model);
  EXPECT_THROW(embed(model, Batch::causal(0, 0, std::vector{50}), x), std::out_of_range);
  EXPECT_THROW(embed(model, Batch::causal(0, 0, std::vector{-2}), x), std::out_of_range);
  Matrix three(3, model.config.d_model);
  EXPECT_TRUE(refuses_with<std::out_of_range>(
      [&] {
        embed(model, Batch::causal(0, 0, std::vector{1, 77, 99}), three);
      },
      {"77"}))
      << "the first wrong token is to be named";
}

// Grades exercise 1.9.
TEST(Embed, TakesVectorsWhereThereAreNoTokens) {
  // Oracle: by hand. Rows 1 and 3 come as vectors, in this order (soft prompts, images: chapter 09).
  const Model model = random_model(small_config());
  const Index d_model = model.config.d_model;
  Batch batch = Batch::causal(0, 0, std::vector{7, Batch::kVector, 4, Batch::kVector});
  for (int i = 0; i < 2 * d_model; ++i) batch.vectors.push_back(float(i));
  Matrix x(4, d_model);
  embed(model, batch, x);
  EXPECT_EQ(x.row(0), model.token_embedding.f32().row(7));
  EXPECT_EQ(x.row(1), MatrixMap(batch.vectors.data(), 2, d_model).row(0));
  EXPECT_EQ(x.row(2), model.token_embedding.f32().row(4));
  EXPECT_EQ(x.row(3), MatrixMap(batch.vectors.data(), 2, d_model).row(1));
}

// Grades exercise 1.9.
TEST(Embed, RefusesABatchWhoseInputsDoNotFit) {
  // Oracle: the header. No tokens, too few, a vector missing, a vector too many, x too narrow.
  const Model model = random_model(small_config());
  const int d_model = model.config.d_model;
  Matrix x(3, d_model), narrow(3, d_model - 1);
  const Batch good = Batch::causal(0, 0, std::vector{1, Batch::kVector, 3});
  const auto refuses_to_embed = [&](auto spoil) {
    Batch batch = good;
    batch.vectors.resize(d_model);
    spoil(batch);
    EXPECT_THROW(embed(model, batch, x), std::invalid_argument);
  };
  refuses_to_embed([](Batch& b) { b.token.clear(); });
  refuses_to_embed([](Batch& b) { b.token.pop_back(); });
  refuses_to_embed([](Batch& b) { b.vectors.clear(); });
  refuses_to_embed([](Batch& b) { b.token[0] = Batch::kVector; });
  refuses_to_embed([](Batch& b) { b.token[1] = 2; });
  EXPECT_THROW(embed(model, Batch::causal(0, 0, std::vector{1, 2, 3}), narrow), std::invalid_argument);
}

// Grades exercise 1.9.
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

// Grades exercise 1.9.
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

// Grades exercise 1.9.
TEST(Forward, IsIndifferentToWhereASequenceStarts) {
  // Oracle: invariance and double precision. RoPE makes scores depend on distances, so positions 100, 101, ... give
  // the logits of 0, 1, ...; positions with gaps give others, and the right ones.
  const Model model = random_model(small_config());
  const std::vector<int> tokens = some_tokens(5);
  Batch gaps = Batch::causal(0, 0, 5);
  gaps.position = gaps.last_visible = {0, 3, 4, 9, 20};
  EXPECT_TRUE(near(forward_of(model, tokens, Batch::causal(0, 0, 5)),
                   forward_of(model, tokens, Batch::causal(0, 100, 5)), 5e-5));
  EXPECT_TRUE(near(oracle::forward(model, tokens, gaps), forward_of(model, tokens, gaps), 2e-5,
                   "(rotate by batch.position, not by the row number)"));
}

// Grades exercise 1.9.
TEST(Forward, LeavesEarlierLogitsUntouchedByALaterToken) {
  // Oracle: invariance. Changing token t leaves the logits before t as they are.
  const Model model = random_model(small_config());
  const Batch batch = with_all_logits(Batch::causal(0, 0, 6));
  std::vector<int> tokens = some_tokens(6);
  const Matrix before = forward_of(model, tokens, batch);
  tokens[4] = (tokens[4] + 1) % model.config.vocab_size;
  const Matrix after = forward_of(model, tokens, batch);
  EXPECT_TRUE(near(before.topRows(4), after.topRows(4), 1e-6));
  EXPECT_NE(before.row(4), after.row(4));
  EXPECT_NE(before.row(5), after.row(5));
}

// Grades exercise 1.9.
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

// Grades exercise 1.8.
TEST(DecodeLayers, RunsARangeOfLayers) {
  // Oracle: invariance and double precision. Two halves in turn are the whole; no layers change nothing.
  const Model model = random_model(small_config());
  const Batch batch = Batch::causal(0, 0, 4);
  const Ops ops = naive_ops();
  const Matrix start = random_matrix(4, model.config.d_model);
  Workspace workspace;
  Matrix whole = start, halves = start, none = start;
  decode_layers(model, whole, batch, ops, workspace, 0, 2);
  decode_layers(model, halves, batch, ops, workspace, 0, 1);
  EXPECT_TRUE(near(oracle::decode_layers(model, start.cast<double>(), batch, 0, 1), halves, 1e-5));
  decode_layers(model, halves, batch, ops, workspace, 1, 2);
  decode_layers(model, none, batch, ops, workspace, 1, 1);
  EXPECT_TRUE(near(oracle::decode_layers(model, start.cast<double>(), batch, 0, 2), whole, 1e-5));
  EXPECT_TRUE(near(whole, halves, 1e-6));
  EXPECT_EQ(none, start);
}

// Grades exercise 1.7.
TEST(AttentionMixer, MatchesDoublePrecision) {
  // Oracle: projections, RoPE, attention and output projection in double. The workspace has more rows than the batch,
  // and RoPE is the model's own.
  Config config = small_config();
  config.rope = {.base = 100.0f, .position_scale = 2.0f};
  const Model model = random_model(config);
  const Config& c = model.config;
  for (const int layer : {0, 1}) {
    const Layer& w = model.layers[layer];
    const Batch batch = Batch::causal(0, 3, 5);
    const Matrix x = random_matrix(5, c.d_model, 8);
    Workspace workspace;
    workspace.reserve(c, 9);
    Matrix out = Matrix::Constant(5, c.d_model, 99.0f);
    attention_mixer(model, layer, x, batch, naive_ops(), workspace, out);
    const auto project = [&](const oracle::MatrixXd& in, const Weight& weight) {
      return oracle::MatrixXd(in * oracle::values(weight).transpose());
    };
    const auto rotated = [&](const Weight& weight) {
      return oracle::rope(project(x.cast<double>(), weight), batch.position, c.head_dim, c.rope.base,
                          c.rope.position_scale);
    };
    const oracle::MatrixXd attended =
        oracle::attention(c, rotated(w.query), rotated(w.key), project(x.cast<double>(), w.value), batch);
    EXPECT_TRUE(near(project(attended, w.attention_output), out, 1e-5,
                     "(RoPE on queries and keys, not on values; project back at the end)"))
        << "layer " << layer;
  }
}

// Grades exercise 1.7.
TEST(AttentionMixer, GoesThroughTheOperators) {
  // Oracle: by hand. Whoever replaces an operator must be asked, with the layer's weights and the layer's number.
  const Model model = random_model(small_config());
  std::vector<WeightRole> roles;
  int attention_layer = -1;
  Ops ops = naive_ops();
  ops.linear = [&](const Weight& w, const ConstMatrixRef&, MatrixRef out) {
    EXPECT_EQ(w.layer, 1);
    roles.push_back(w.role);
    out.setConstant(0.5f);
  };
  ops.attention = [&](const Config& config, int layer, const auto&, const auto&, const auto&, const Batch&,
                      MatrixRef out) {
    EXPECT_EQ(config.head_dim, model.config.head_dim);
    attention_layer = layer;
    out.setConstant(0.5f);
  };
  Workspace workspace;
  workspace.reserve(model.config, 2);
  Matrix out(2, model.config.d_model);
  attention_mixer(model, 1, random_matrix(2, model.config.d_model), Batch::causal(0, 0, 2), ops, workspace, out);
  EXPECT_EQ(attention_layer, 1);
  std::sort(roles.begin(), roles.begin() + std::min<std::size_t>(3, roles.size()));
  EXPECT_EQ(roles,
            (std::vector{WeightRole::kQuery, WeightRole::kKey, WeightRole::kValue, WeightRole::kAttentionOutput}));
}

// Grades exercise 1.8.
TEST(DecodeLayers, TellsTheMixerTheNumberOfItsLayer) {
  // Oracle: by hand. Layers 1 and 2 of 3, as a pipeline stage runs them: numbers count from the model's first layer.
  Config config = small_config();
  config.n_layers = 3;
  Model model = random_model(config);
  model.layers[2].kind = "other";
  std::string calls;
  Ops ops = naive_ops();
  const auto mixer = [&](const char* kind) {
    return [&calls, kind](const Model&, int layer, const ConstMatrixRef&, const Batch&, const Ops&, Workspace&,
                          MatrixRef out) {
      calls += kind + std::to_string(layer) + " ";
      out.setZero();
    };
  };
  ops.mixers["attention"] = mixer("attention");
  ops.mixers["other"] = mixer("other");
  Workspace workspace;
  Matrix x = random_matrix(2, config.d_model);
  decode_layers(model, x, Batch::causal(0, 0, 2), ops, workspace, 1, 3);
  EXPECT_EQ(calls, "attention1 other2 ");
  model.layers[1].kind = "unheard of";
  EXPECT_THROW(decode_layers(model, x, Batch::causal(0, 0, 2), ops, workspace, 1, 3), std::invalid_argument);
}

// Grades exercise 1.9.
TEST(Forward, BeginsAndEndsEachStepOnce) {
  // Oracle: by hand. The operators are told before the first layer and after the last, with the batch at hand.
  const Model model = random_model(small_config());
  std::string calls;
  Ops ops = naive_ops();
  ops.begin_step = [&](const Batch& batch) { calls += "begin " + std::to_string(batch.n_rows()) + " "; };
  ops.end_step = [&] { calls += "end"; };
  ops.mixers["attention"] = [&](const Model&, int layer, const ConstMatrixRef&, const Batch&, const Ops&, Workspace&,
                                MatrixRef out) {
    calls += "layer " + std::to_string(layer) + " ";
    out.setZero();
  };
  Workspace workspace;
  Matrix logits(1, model.config.vocab_size);
  forward(model, Batch::causal(0, 0, std::vector{1, 2, 3}), ops, workspace, logits);
  EXPECT_EQ(calls, "begin 3 layer 0 layer 1 end");
}

// Grades exercise 1.9.
TEST(Forward, RefusesWhatContradictsItself) {
  // Oracle: the header. A logit row outside the batch, logits of another shape.
  const Model model = random_model(small_config());
  Batch batch = Batch::causal(0, 0, std::vector{1, 2, 3});
  Workspace workspace;
  Matrix one(1, model.config.vocab_size), two(2, model.config.vocab_size);
  EXPECT_THROW(forward(model, Batch::causal(0, 0, 3), naive_ops(), workspace, one), std::invalid_argument)
      << "there are no tokens";
  EXPECT_THROW(forward(model, batch, naive_ops(), workspace, two), std::invalid_argument);
  batch.logit_rows = {3};
  EXPECT_THROW(forward(model, batch, naive_ops(), workspace, one), std::invalid_argument);
}

// Guards a workspace that serves a draft and its target in turn.
TEST(Workspace, ServesModelsOfOtherWidths) {
  // Oracle: invariance. A narrow model, then a wide one, then the narrow one again.
  Config wide = small_config();
  wide.d_model = 44;
  wide.d_ff = 60;
  Workspace workspace;
  for (const Config& config : {small_config(), wide, small_config()}) {
    const Model model = random_model(config);
    const Batch batch = Batch::causal(0, 0, std::vector{4, 5, 6});
    Matrix logits(1, config.vocab_size);
    forward(model, batch, naive_ops(), workspace, logits);
    EXPECT_TRUE(near(forward_of(model, {4, 5, 6}, batch), logits, 1e-6)) << "d_model " << config.d_model;
  }
}

// Grades exercise 1.9.
TEST(Forward, MayBeAskedForNoLogits) {
  // Oracle: the header. A chunk of a prompt that is not the last one.
  const Model model = random_model(small_config());
  Batch batch = Batch::causal(0, 0, 3);
  batch.logit_rows.clear();
  EXPECT_EQ(forward_of(model, some_tokens(3), batch).rows(), 0);
}

// Grades exercise 1.8.
TEST(DecodeLayers, RefusesWhatDoesNotFit) {
  // Oracle: the header.
  const Model model = random_model(small_config());
  const Ops ops = naive_ops();
  Workspace workspace;
  Matrix x = random_matrix(3, model.config.d_model), narrow = random_matrix(3, 7);
  EXPECT_THROW(decode_layers(model, x, Batch::causal(0, 0, 2), ops, workspace, 0, 2), std::invalid_argument);
  EXPECT_THROW(decode_layers(model, narrow, Batch::causal(0, 0, 3), ops, workspace, 0, 2), std::invalid_argument);
  EXPECT_THROW(decode_layers(model, x, Batch::causal(0, 0, 3), ops, workspace, 0, 3), std::invalid_argument);
  EXPECT_THROW(decode_layers(model, x, Batch::causal(0, 0, 3), ops, workspace, 2, 1), std::invalid_argument);
}

// Grades exercise 1.8.
TEST(DecodeLayers, AllocatesNothingOnceTheWorkspaceHasGrown) {
  // Oracle: counting. The operators are replaced by ones that touch no memory of their own.
  if (!counts_allocations) GTEST_SKIP() << "counting allocations needs glibc without a sanitizer";
  const Model model = random_model(small_config());
  Ops ops = naive_ops();
  ops.linear = [](const Weight&, const ConstMatrixRef&, MatrixRef out) { out.setZero(); };
  ops.attention = [](const Config&, int, const auto&, const auto&, const auto&, const Batch&, MatrixRef out) {
    out.setZero();
  };
  const Batch batch = Batch::causal(0, 0, 5);
  Matrix x = random_matrix(5, model.config.d_model);
  Workspace workspace;
  decode_layers(model, x, batch, ops, workspace, 0, 2);
  const std::int64_t before = allocation_count();
  decode_layers(model, x, batch, ops, workspace, 0, 2);
  EXPECT_EQ(allocation_count() - before, 0);
}

// Guards the pass that the programs run: a step with one row allocates nothing at all, Eigen's products included.
TEST(Forward, OfOneTokenAllocatesNothing) {
  // Oracle: counting.
  if (!counts_allocations) GTEST_SKIP() << "counting allocations needs glibc without a sanitizer";
  const Model model = random_model(small_config());
  const Ops ops = tiled_ops();
  const Batch batch = Batch::causal(0, 0, std::vector{7});
  Workspace workspace;
  Matrix logits(1, model.config.vocab_size);
  forward(model, batch, ops, workspace, logits);
  const std::int64_t before = allocation_count();
  forward(model, batch, ops, workspace, logits);
  EXPECT_EQ(allocation_count() - before, 0);
}

}  // namespace
}  // namespace waitless
