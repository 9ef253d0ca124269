// The cache serves every later chapter without being edited. Each test here stands for one of them and uses the parts
// of this chapter from outside.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "01_naive_generation/attention_plan.h"
#include "01_naive_generation/forward.h"
#include "01_naive_generation/generate.h"
#include "common/testing/compare.h"
#include "common/testing/random_model.h"
#include "common/testing/small_tokenizer.h"
#include "decoder.h"

namespace waitless {
namespace {

Matrix logits_of(const Model& model, const Batch& batch, const Ops& ops) {
  Workspace workspace;
  Matrix logits(Index(batch.logit_rows.size()), model.config.vocab_size);
  forward(model, batch, ops, workspace, logits);
  return logits;
}

/// Of the last token, everything recomputed.
Matrix naive_logits(const Model& model, const std::vector<int>& tokens) {
  return logits_of(model, Batch::causal(0, 0, tokens), naive_ops());
}

// Guards chapter 04: requests of several lengths in one batch, each where it is.
TEST(CacheSeams, OneStepServesManyRequests) {
  // Oracle: each request alone, naively. Prompts together, then three steps in which one request joins late.
  const Model model = random_model(small_config());
  KvCache cache(model.config, 64);
  const Ops ops = tiled_cached_ops(cache);
  std::map<int, std::vector<int>> texts = {{0, {1, 2, 3}}, {1, {9, 8, 7, 6, 5}}};
  Batch batch;
  for (const auto& [sequence, tokens] : texts) batch.add_causal(sequence, 0, tokens);
  Matrix logits = logits_of(model, batch, ops);
  for (int step = 0; step < 3; ++step) {
    if (step == 1) texts[2] = {};
    batch.clear();
    for (auto& [sequence, tokens] : texts) {
      const std::vector<int> next = tokens.empty() ? std::vector{30, 31} : std::vector{10 + step + sequence};
      batch.add_causal(sequence, cache.slots.next_position(sequence), next);
      tokens.insert(tokens.end(), next.begin(), next.end());
    }
    logits = logits_of(model, batch, ops);
    Index row = 0;
    for (const auto& [sequence, tokens] : texts) {
      EXPECT_TRUE(near(naive_logits(model, tokens), logits.row(row++), 2e-5)) << "request " << sequence;
    }
  }
  cache.slots.free(1);
  EXPECT_EQ(cache.slots.n_free(), 64 - int(texts[0].size() + texts[2].size()));
}

// Guards chapter 04 and 05: what a step asks of the table grows with its rows, not with what else the cache holds.
TEST(CacheSeams, AttentionPlansOnlyWhatItsSequencesHold) {
  // Oracle: counting KV tiles. 64 sequences of 40 tokens in the cache; a step of one of them, and of all of them.
  SlotTable table(64 * 41);
  for (int sequence = 0; sequence < 64; ++sequence) {
    table.begin(Batch::causal(sequence, 0, 40));
    table.commit();
  }
  const auto n_kv_tiles = [&](const Batch& batch) {
    AttentionPlan plan;
    plan.make(batch, {8, 8, 32}, [&](int sequence) { return table.spans(sequence); });
    return plan.kv_tiles.size();
  };
  Batch all;
  for (int sequence = 0; sequence < 64; ++sequence) all.add_causal(sequence, 40, 1);
  const std::size_t of_one = n_kv_tiles(Batch::causal(7, 40, 1));
  EXPECT_EQ(of_one, 3u) << "40 slots in KV tiles of 32, and the row itself";
  EXPECT_EQ(n_kv_tiles(all), 64 * of_one);
}

// Guards chapter 05: a slot with two owners.
TEST(CacheSeams, TwoContinuationsShareAPrompt) {
  // Oracle: each continuation alone, naively. The prompt is stored once.
  const Model model = random_model(small_config());
  KvCache cache(model.config, 8);
  const Ops ops = cached_ops(cache);
  logits_of(model, Batch::causal(0, 0, std::vector{1, 2, 3, 4}), ops);
  cache.slots.fork(0, 1);
  Batch batch = Batch::causal(0, 4, std::vector{10});
  batch.add_causal(1, 4, std::vector{20, 21});
  const Matrix logits = logits_of(model, batch, ops);
  EXPECT_TRUE(near(naive_logits(model, {1, 2, 3, 4, 10}), logits.row(0), 2e-5));
  EXPECT_TRUE(near(naive_logits(model, {1, 2, 3, 4, 20, 21}), logits.row(1), 2e-5));
  EXPECT_EQ(cache.slots.n_free(), 1) << "4 + 1 + 2 slots are taken";
}

// Guards chapter 06: a hybrid, of whose layers only some attend.
TEST(CacheSeams, OnlyTheLayersThatAttendAreStored) {
  // Oracle: the same hybrid without a cache, recomputed. Layer 0 is recurrent and keeps a state of its own.
  Model model = random_model(small_config());
  model.layers[0].kind = "recurrent";
  Matrix state = Matrix::Zero(1, model.config.d_model);
  const auto with_recurrent_layers = [&](Ops ops) {
    ops.mixers["recurrent"] = [&](const Model&, int, const ConstMatrixRef& x, const Batch&, const Ops&, Workspace&,
                                  MatrixRef out) {
      for (Index t = 0; t < x.rows(); ++t) out.row(t) = state = 0.5f * state + x.row(t);
    };
    return ops;
  };
  const std::vector<int> tokens = {4, 5, 6, 7, 8};
  const Matrix expected = logits_of(model, Batch::causal(0, 0, tokens), with_recurrent_layers(naive_ops()));
  state.setZero();
  KvCache cache(model.config, 8, {1});
  const Ops ops = with_recurrent_layers(tiled_cached_ops(cache));
  logits_of(model, Batch::causal(0, 0, std::span(tokens).first(3)), ops);
  logits_of(model, Batch::causal(0, 3, std::span(tokens).subspan(3, 1)), ops);
  const Matrix got = logits_of(model, Batch::causal(0, 4, std::span(tokens).subspan(4, 1)), ops);
  EXPECT_TRUE(near(expected, got, 2e-5));
}

// Guards chapter 07: a block is denoised several times over the same cache, and stored once it is clean.
TEST(CacheSeams, ABlockIsStoredWhenItIsClean) {
  // Oracle: prompt and block in one naive pass.
  const Model model = random_model(small_config());
  CachedDecoder decoder(model, 12);
  prefill(decoder, std::vector{1, 2, 3});
  const auto block = [&](const std::vector<int>& tokens, bool is_clean) {
    Batch batch = Batch::bidirectional_block(0, 3, tokens);
    batch.is_stored.assign(tokens.size(), is_clean);
    return logits_of(model, batch, decoder.ops);
  };
  const auto naive = [&](const std::vector<int>& tokens) {
    Batch batch = Batch::causal(0, 0, std::vector{1, 2, 3});
    batch.add_bidirectional_block(0, 3, tokens);
    batch.logit_rows.erase(batch.logit_rows.begin());
    return logits_of(model, batch, naive_ops());
  };
  for (const std::vector<int>& tokens : {std::vector{40, 40, 40, 40}, {40, 11, 40, 12}}) {
    EXPECT_TRUE(near(naive(tokens), block(tokens, false), 2e-5));
    EXPECT_EQ(decoder.cache.slots.n_stored(0), 3) << "a block that is not clean leaves no trace";
  }
  block({10, 11, 13, 12}, true);
  EXPECT_EQ(decoder.next_position(), 7);
  decode_step(decoder, 9);
  Batch whole = Batch::causal(0, 0, std::vector{1, 2, 3});
  whole.add_bidirectional_block(0, 3, std::vector{10, 11, 13, 12});
  whole.add_causal(0, 7, std::vector{9});
  whole.logit_rows = {7};
  EXPECT_TRUE(near(logits_of(model, whole, naive_ops()), decoder.logits, 2e-5));
}

// Guards chapter 08: a draft tree is stored while it is verified, one path is accepted, and decoding goes on from
// there, several tokens a step.
TEST(CacheSeams, DecodingGoesOnBehindAnAcceptedTree) {
  // Oracle: naive passes over the accepted text.
  const Model model = random_model(small_config());
  CachedDecoder decoder(model, 20);
  prefill(decoder, std::vector{1, 2});
  Batch tree;
  tree.add_tree(0, 2, std::vector{9, 10, 20, 21, 11}, std::vector{Batch::kRoot, 0, 0, 2, 1});
  tree.is_stored.assign(5, true);
  const Matrix logits = logits_of(model, tree, decoder.ops);
  EXPECT_TRUE(near(naive_logits(model, {1, 2, 9, 20, 21}), logits.row(3), 2e-5));
  decoder.cache.slots.keep(std::vector{0, 2, 3});
  EXPECT_EQ(decoder.next_position(), 5);
  decode_step(decoder, 30);
  EXPECT_TRUE(near(naive_logits(model, {1, 2, 9, 20, 21, 30}), decoder.logits, 2e-5));
  prefill(decoder, std::vector{31, 32, 33});
  EXPECT_TRUE(near(naive_logits(model, {1, 2, 9, 20, 21, 30, 31, 32, 33}), decoder.logits, 2e-5));
}

// Guards chapter 08: a drafter with queries only, which attends to the cache of another model.
TEST(CacheSeams, ADrafterReadsTheCacheOfItsTarget) {
  // Oracle: attention with the drafter's queries over the target's keys and values, as the cache gives them.
  const Model target = random_model(small_config(), 1);
  CachedDecoder decoder(target, 12);
  prefill(decoder, std::vector{1, 2, 3, 4, 5});
  Batch batch = Batch::causal(0, 4, 1);  // a draft position stays where the target is
  batch.is_stored[0] = false;
  const Config& config = target.config;
  const Matrix q = random_matrix(1, config.q_dim(), 5), none(0, config.kv_dim());
  Matrix out(1, config.q_dim()), expected(1, config.q_dim());
  decoder.ops.begin_step(batch);
  decoder.ops.attention(config, 1, q, none, none, batch, out);
  decoder.ops.end_step();
  for (int h = 0; h < config.n_heads; ++h) {
    const Index D = config.head_dim;
    const int kv_head = h / (config.n_heads / config.n_kv_heads);
    Matrix weights = q.middleCols(h * D, D) * decoder.cache.keys(1, kv_head).topRows(5).transpose();
    weights = (weights / std::sqrt(float(D))).array().exp();
    expected.middleCols(h * D, D) = weights * decoder.cache.values(1, kv_head).topRows(5) / weights.sum();
  }
  EXPECT_TRUE(near(expected, out, 1e-5));
  EXPECT_EQ(decoder.next_position(), 5);
}

// Guards chapter 08: layers may be left early.
TEST(CacheSeams, APassMayEndAfterAnyLayer) {
  // Oracle: naive passes. After an early exit at layer 1 the next token goes through all layers again.
  const Model model = random_model(small_config());
  CachedDecoder decoder(model, 12);
  prefill(decoder, std::vector{1, 2, 3});
  Batch exit_early = Batch::causal(0, 3, std::vector{4});
  Matrix x(1, model.config.d_model);
  decoder.ops.begin_step(exit_early);
  embed(model, exit_early, x);
  decode_layers(model, x, exit_early, decoder.ops, decoder.workspace, 0, 1);
  decoder.cache.slots.cancel();
  decode_step(decoder, 4);
  EXPECT_TRUE(near(naive_logits(model, {1, 2, 3, 4}), decoder.logits, 2e-5));
}

// Guards chapter 09: rows of a prompt are dropped from the cache, positions stay, and decoding goes on.
TEST(CacheSeams, DecodingGoesOnAfterTokensWereEvicted) {
  // Oracle: a naive pass under a mask that hides what was evicted. (Rows 1 to 3 are hidden from the rows behind them.)
  const Model model = random_model(small_config());
  CachedDecoder decoder(model, 8);
  prefill(decoder, std::vector{1, 2, 3, 4, 5, 6});
  decoder.cache.slots.evict(0, 1, 3);
  decode_step(decoder, 7);
  EXPECT_EQ(decoder.next_position(), 7);
  Batch whole = Batch::causal(0, 0, std::vector{1, 2, 3, 4, 5, 6, 7});
  whole.first_visible[6] = 4;  // the tail
  whole.context.resize(7);
  whole.context[6] = {0, 0, 0};  // and position 0 of the same sequence
  EXPECT_TRUE(near(logits_of(model, whole, naive_ops()), decoder.logits, 2e-5));
}

// Guards chapter 09: gist tokens stand for a prompt, whose own rows leave the cache.
TEST(CacheSeams, GistsStandForAPromptThatIsGone) {
  // Oracle: one naive pass in which the rows behind the gists do not see what stands before them.
  const Model model = random_model(small_config());
  CachedDecoder decoder(model, 10);
  prefill(decoder, std::vector{1, 2, 3, 40, 41});
  decoder.cache.slots.evict(0, 0, 2);
  EXPECT_EQ(decoder.cache.slots.n_stored(0), 2);
  prefill(decoder, std::vector{6, 7});
  Batch whole = Batch::causal(0, 0, std::vector{1, 2, 3, 40, 41, 6, 7});
  for (const int t : {5, 6}) whole.first_visible[t] = 3;
  EXPECT_TRUE(near(logits_of(model, whole, naive_ops()), decoder.logits, 2e-5));
}

// Guards chapter 11: each pipeline stage owns a range of layers and a cache of just these; layers keep their numbers.
TEST(CacheSeams, APipelineStageCachesItsOwnLayers) {
  // Oracle: the whole model. 30 layers in stages 0-9, 10-19 and 20-29, a prompt and two tokens.
  Config config = small_config();
  config.n_layers = 30;
  const Model model = random_model(config);
  struct Stage {
    int first, last;
    KvCache cache;
    Ops ops;
    Workspace workspace;
    static std::vector<int> layers(int from, int to) {
      std::vector<int> range(to - from);
      std::iota(range.begin(), range.end(), from);
      return range;
    }
    Stage(const Config& c, int from, int to)
        : first(from), last(to), cache(c, 8, layers(from, to)), ops(tiled_cached_ops(cache)) {}
  };
  Stage stages[] = {{config, 0, 10}, {config, 10, 20}, {config, 20, 30}};
  CachedDecoder decoder(model, 8);
  const auto through_stages = [&](const Batch& batch) {
    Matrix x(batch.n_rows(), config.d_model), normed(1, config.d_model), logits(1, config.vocab_size);
    embed(model, batch, x);
    for (Stage& stage : stages) {
      stage.ops.begin_step(batch);
      decode_layers(model, x, batch, stage.ops, stage.workspace, stage.first, stage.last);
      stage.ops.end_step();
    }
    final_norm(model, x, batch.logit_rows, normed);
    stages[2].ops.linear(model.output, normed, logits);
    return logits;
  };
  prefill(decoder, std::vector{1, 2, 3});
  EXPECT_EQ(decoder.logits, through_stages(Batch::causal(0, 0, std::vector{1, 2, 3})));
  for (const int token : {7, 8}) {
    decode_step(decoder, token);
    const int position = stages[1].cache.slots.next_position(0);
    EXPECT_EQ(decoder.logits, through_stages(Batch::causal(0, position, std::vector{token})));
  }
  EXPECT_EQ(stages[1].cache.bytes(), decoder.cache.bytes() / 3);
}

// Guards chapter 12: a step that fails on the way loses nothing.
TEST(CacheSeams, AFailedStepIsGivenUp) {
  // Oracle: invariance.
  const Model model = random_model(small_config());
  CachedDecoder decoder(model, 8), twin(model, 8);
  for (CachedDecoder* d : {&decoder, &twin}) prefill(*d, std::vector{1, 2, 3});
  const auto linear = decoder.ops.linear;
  decoder.ops.linear = [&](const Weight& w, const ConstMatrixRef& x, MatrixRef out) {
    if (w.layer == 1) throw std::runtime_error("the device is gone");
    linear(w, x, out);
  };
  EXPECT_THROW(decode_step(decoder, 4), std::runtime_error);
  decoder.ops.linear = linear;
  EXPECT_EQ(decoder.next_position(), 3);
  for (CachedDecoder* d : {&decoder, &twin}) prefill(*d, std::vector{4, 5, 6, 7, 8});
  EXPECT_EQ(decoder.logits, twin.logits);
  EXPECT_EQ(decoder.cache.slots.n_free(), 0) << "the slots of the failed step serve again";
}

}  // namespace
}  // namespace waitless
