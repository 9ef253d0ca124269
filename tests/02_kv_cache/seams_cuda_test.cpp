// The cache on the device serves later chapters without being edited, as that on the CPU does (seams_test.cpp).

#include <numeric>
#include <stdexcept>
#include <vector>

#include "01_naive_generation/forward.h"
#include "01_naive_generation/kernels_cuda.h"
#include "cached_ops_cuda.h"
#include "common/testing/compare.h"
#include "common/testing/cuda_test.h"
#include "common/testing/on_device.h"
#include "common/testing/random_model.h"
#include "scene.h"

namespace waitless {
namespace {

using CacheSeamsCuda = CudaTest;

/// On the CPU, everything recomputed.
Matrix naive_logits(const Model& model, const Batch& batch, const Ops& ops = naive_ops()) {
  Workspace workspace;
  Matrix logits(Index(batch.logit_rows.size()), model.config.vocab_size);
  forward(model, batch, ops, workspace, logits);
  return logits;
}

Matrix naive_logits(const Model& model, const std::vector<int>& tokens) {
  return naive_logits(model, Batch::causal(0, 0, tokens));
}

/// A model on the device with a cache.
struct Decoder {
  DeviceModel model;
  DeviceKvCache cache;
  DeviceOps ops;
  DeviceWorkspace workspace;

  Decoder(const Model& m, int n_slots, const std::vector<int>& layers)
      : model(upload(m)), cache(m.config, n_slots, layers), ops(cached_ops_cuda(cache)) {}
  Decoder(const Model& m, int n_slots) : Decoder(m, n_slots, all_layers(m.config)) {}
  Decoder(const Decoder&) = delete;

  Matrix logits_of(const Batch& batch) {
    OnDevice logits = OnDevice::unwritten(Index(batch.logit_rows.size()), model.config.vocab_size);
    forward_cuda(model, batch, ops, workspace, logits);
    return logits.to_host();
  }
  /// Of the last of these tokens, which follow what sequence 0 has so far.
  Matrix logits_after(const std::vector<int>& tokens) {
    return logits_of(Batch::causal(0, cache.slots.next_position(0), tokens));
  }
};

// Guards chapter 04: requests of several lengths in one batch, a prompt beside two that decode.
TEST_F(CacheSeamsCuda, OneStepServesManyRequests) {
  // Oracle: each request alone, naively.
  const Model model = random_model(small_config());
  Decoder decoder(model, 64);
  std::vector<std::vector<int>> texts = {{1, 2, 3}, {9, 8, 7, 6, 5}, {}};
  Batch prompts = Batch::causal(0, 0, texts[0]);
  prompts.add_causal(1, 0, texts[1]);
  decoder.logits_of(prompts);
  Batch step = Batch::causal(0, 3, std::vector{10});
  step.add_causal(1, 5, std::vector{11});
  const std::vector<int> long_prompt = {20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
  step.add_causal(2, 0, long_prompt);
  const Matrix logits = decoder.logits_of(step);
  EXPECT_TRUE(near(naive_logits(model, {1, 2, 3, 10}), logits.row(0), 2e-5));
  EXPECT_TRUE(near(naive_logits(model, {9, 8, 7, 6, 5, 11}), logits.row(1), 2e-5));
  EXPECT_TRUE(near(naive_logits(model, long_prompt), logits.row(2), 2e-5));
}

// Guards chapter 05: a slot with two owners.
TEST_F(CacheSeamsCuda, TwoContinuationsShareAPrompt) {
  // Oracle: each continuation alone, naively. The prompt is stored once.
  const Model model = random_model(small_config());
  Decoder decoder(model, 8);
  decoder.logits_after({1, 2, 3, 4});
  decoder.cache.slots.fork(0, 1);
  Batch batch = Batch::causal(0, 4, std::vector{10});
  batch.add_causal(1, 4, std::vector{20, 21});
  const Matrix logits = decoder.logits_of(batch);
  EXPECT_TRUE(near(naive_logits(model, {1, 2, 3, 4, 10}), logits.row(0), 2e-5));
  EXPECT_TRUE(near(naive_logits(model, {1, 2, 3, 4, 20, 21}), logits.row(1), 2e-5));
}

// Guards chapter 06: a hybrid, of whose layers only some attend.
TEST_F(CacheSeamsCuda, OnlyTheLayersThatAttendAreStored) {
  // Oracle: the CPU, recomputed. Layer 0 passes the normed stream through.
  Model model = random_model(small_config());
  model.layers[0].kind = "pass through";
  Ops ops = naive_ops();
  ops.mixers["pass through"] = [](const Model&, int, const ConstMatrixRef& x, const Batch&, const Ops&, Workspace&,
                                  MatrixRef out) { out = x; };
  Decoder decoder(model, 8, {1});
  decoder.ops.mixers["pass through"] = [](const DeviceModel&, int, ConstDeviceMatrix x, const BatchView&,
                                          const DeviceOps&, DeviceWorkspace&, DeviceMatrix out, cudaStream_t stream) {
    const std::size_t n_bytes = std::size_t(x.rows) * x.cols * sizeof(float);
    cuda_check(cudaMemcpyAsync(out.data, x.data, n_bytes, cudaMemcpyDeviceToDevice, stream));
  };
  decoder.logits_after({4, 5, 6});
  decoder.logits_after({7});
  EXPECT_TRUE(
      near(naive_logits(model, Batch::causal(0, 0, std::vector{4, 5, 6, 7, 8}), ops), decoder.logits_after({8}), 2e-5));
}

// Guards chapter 07: a block is denoised over the same cache, and leaves no trace until it is clean.
TEST_F(CacheSeamsCuda, ABlockIsStoredWhenItIsClean) {
  // Oracle: prompt and block in one naive pass.
  const Model model = random_model(small_config());
  Decoder decoder(model, 20);
  decoder.logits_after({1, 2, 3});
  for (const bool is_clean : {false, true}) {
    const std::vector<int> tokens(9, is_clean ? 11 : 40);
    Batch block = Batch::bidirectional_block(0, 3, tokens), whole = Batch::causal(0, 0, std::vector{1, 2, 3});
    block.is_stored.assign(9, is_clean);
    whole.append(block);
    whole.logit_rows = block.logit_rows;
    for (int& row : whole.logit_rows) row += 3;
    EXPECT_TRUE(near(naive_logits(model, whole), decoder.logits_of(block), 2e-5));
    EXPECT_EQ(decoder.cache.slots.n_stored(0), is_clean ? 12 : 3);
  }
}

// Guards chapter 08: a draft tree is stored while it is verified, one path is accepted, and decoding goes on.
TEST_F(CacheSeamsCuda, DecodingGoesOnBehindAnAcceptedTree) {
  // Oracle: naive passes over the accepted text.
  const Model model = random_model(small_config());
  Decoder decoder(model, 20);
  decoder.logits_after({1, 2});
  Batch tree;
  tree.add_tree(0, 2, std::vector{9, 10, 20, 21, 11}, std::vector{Batch::kRoot, 0, 0, 2, 1});
  tree.is_stored.assign(5, true);
  EXPECT_TRUE(near(naive_logits(model, {1, 2, 9, 20, 21}), decoder.logits_of(tree).row(3), 2e-5));
  decoder.cache.slots.keep(std::vector{0, 2, 3});
  EXPECT_TRUE(near(naive_logits(model, {1, 2, 9, 20, 21, 30}), decoder.logits_after({30}), 2e-5));
}

// Guards chapter 08: a drafter with queries only, which attends to the cache of another model.
TEST_F(CacheSeamsCuda, ADrafterReadsTheCacheOfItsTarget) {
  // Oracle: double precision, over the keys and values that the target sent through its cache.
  const Config config = attention_shape(4, 2, 6);
  DeviceKvCache cache(config, 12);
  const DeviceOps ops = cached_ops_cuda(cache);
  Memory memory;
  const auto attend = [&](const Batch& batch, const Rows& rows) {
    OnDevice out = OnDevice::unwritten(batch.n_rows(), config.q_dim());
    const DeviceBatch on_device(batch);
    ops.begin_step(batch, nullptr);
    ops.attention(config, 0, OnDevice(rows.q), OnDevice(rows.k), OnDevice(rows.v), on_device.view(), out, nullptr);
    ops.end_step();
    return out.to_host();
  };
  const Batch prompt = Batch::causal(0, 0, 10);
  const Rows prompt_rows = random_rows(config, prompt, 1);
  attend(prompt, prompt_rows);
  memory.add(prompt, prompt_rows);
  for (const int n : {1, 9}) {
    Batch draft = Batch::causal(0, 10 - n, n);
    draft.is_stored.assign(n, false);
    const Rows rows{random_matrix(n, config.q_dim(), 5), Matrix(0, config.kv_dim()), Matrix(0, config.kv_dim())};
    EXPECT_TRUE(near(oracle_attention(config, memory, draft, rows), attend(draft, rows), 2e-6));
  }
  EXPECT_EQ(cache.slots.n_stored(0), 10);
}

// Guards chapter 09: rows of a prompt are dropped from the cache, positions stay, and decoding goes on.
TEST_F(CacheSeamsCuda, DecodingGoesOnAfterTokensWereEvicted) {
  // Oracle: a naive pass under a mask that hides what was evicted.
  const Model model = random_model(small_config());
  Decoder decoder(model, 8);
  decoder.logits_after({1, 2, 3, 4, 5, 6});
  decoder.cache.slots.evict(0, 1, 3);
  Batch whole = Batch::causal(0, 0, std::vector{1, 2, 3, 4, 5, 6, 7});
  whole.first_visible[6] = 4;  // the tail
  whole.context.resize(7);
  whole.context[6] = {0, 0, 0};  // and position 0 of the same sequence
  EXPECT_TRUE(near(naive_logits(model, whole), decoder.logits_after({7}), 2e-5));
}

// Guards chapter 11: pipeline stages cache their own layers, which keep their numbers.
TEST_F(CacheSeamsCuda, APipelineStageCachesItsOwnLayers) {
  // Oracle: the whole model. 6 layers in two stages; a prompt and a token.
  Config config = small_config();
  config.n_layers = 6;
  const Model model = random_model(config);
  Decoder first(model, 8, {0, 1, 2}), second(model, 8, {3, 4, 5});
  for (const std::vector<int>& tokens : {std::vector{1, 2, 3}, {7}}) {
    const int start = first.cache.slots.next_position(0);
    const Batch batch = Batch::causal(0, start, tokens);
    const DeviceBatch on_device(batch);
    OnDevice x = OnDevice::unwritten(batch.n_rows(), config.d_model);
    embed_cuda(first.model.token_embedding.f32(), on_device.view(), x);
    for (Decoder* stage : {&first, &second}) {
      const int from = stage == &first ? 0 : 3;
      stage->ops.begin_step(batch, nullptr);
      decode_layers_cuda(stage->model, x, on_device.view(), stage->ops, stage->workspace, from, from + 3);
      stage->ops.end_step();
    }
    Matrix out = x.to_host(), expected(batch.n_rows(), config.d_model);
    Batch whole = Batch::causal(0, 0, start == 0 ? tokens : std::vector{1, 2, 3, 7});
    Matrix all(whole.n_rows(), config.d_model);
    Workspace workspace;
    embed(model, whole, all);
    decode_layers(model, all, whole, naive_ops(), workspace, 0, 6);
    EXPECT_TRUE(near(all.bottomRows(batch.n_rows()), out, 2e-5));
  }
}

// Guards chapter 12: a step that fails on the way loses nothing.
TEST_F(CacheSeamsCuda, AFailedStepIsGivenUp) {
  // Oracle: naively, without the failure.
  const Model model = random_model(small_config());
  Decoder decoder(model, 8);
  decoder.logits_after({1, 2, 3});
  const auto linear = decoder.ops.linear;
  decoder.ops.linear = [&](const DeviceWeight& w, ConstDeviceMatrix x, DeviceMatrix out, cudaStream_t stream) {
    if (w.layer == 1) throw std::runtime_error("the device is gone");
    linear(w, x, out, stream);
  };
  EXPECT_THROW(decoder.logits_after({4}), std::runtime_error);
  decoder.ops.linear = linear;
  EXPECT_EQ(decoder.cache.slots.n_stored(0), 3);
  EXPECT_TRUE(near(naive_logits(model, {1, 2, 3, 4}), decoder.logits_after({4}), 2e-5));
  EXPECT_EQ(decoder.cache.slots.n_free(), 4);
}

}  // namespace
}  // namespace waitless
