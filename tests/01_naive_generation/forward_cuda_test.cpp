#include "forward_cuda.h"

#include <numeric>
#include <string_view>
#include <vector>

#include "common/base/error.h"
#include "common/testing/compare.h"
#include "common/testing/counters_test.h"
#include "common/testing/cuda_test.h"
#include "common/testing/on_device.h"
#include "common/testing/random_model.h"
#include "common/testing/refuses.h"
#include "common/testing/small_tokenizer.h"
#include "forward.h"
#include "generate_cuda.h"
#include "kernels_cuda.h"
#include "oracles.h"

namespace waitless {
namespace {

using ForwardCuda = CudaTest;
using GenerateCuda = CudaTest;
class ForwardCudaCounters : public CountersTest {};

Matrix on_device(const DeviceModel& model, const Batch& batch, const DeviceOps& ops = naive_ops_cuda()) {
  DeviceWorkspace workspace;
  OnDevice logits = OnDevice::unwritten(Index(batch.logit_rows.size()), model.config.vocab_size);
  forward_cuda(model, batch, ops, workspace, logits);
  return logits.to_host();
}

// Guards the device's forward pass as a whole.
TEST_F(ForwardCuda, MatchesDoublePrecision) {
  // Oracle: double precision. Two sequences, a tree and a block; logits of every row.
  const Model model = random_model(small_config());
  Batch batch = Batch::causal(0, 0, 4);
  batch.append(Batch::causal(1, 7, 3));
  batch.append(Batch::tree(0, 4, {Batch::kRoot, 0, 0}));
  batch.append(Batch::bidirectional_block(1, 10, 2));
  batch.logit_rows.resize(batch.n_rows());
  std::iota(batch.logit_rows.begin(), batch.logit_rows.end(), 0);
  batch.token = {4, 8, 15, 16, 23, 42, 1, 2, 3, 5, 7, 11};
  EXPECT_TRUE(near(oracle::forward(model, batch.token, batch), on_device(upload(model), batch), 2e-5));
}

// Guards the device's forward pass as a whole.
TEST_F(ForwardCuda, UploadsATiedEmbeddingOnce) {
  // Oracle: double precision, and counting.
  Model model = random_model(small_config());
  model.output = model.token_embedding;
  const DeviceModel device = upload(model);
  EXPECT_EQ(&device.output(), &device.token_embedding);
  const Batch batch = Batch::causal(0, 0, std::vector{1, 2, 3});
  EXPECT_TRUE(near(oracle::forward(model, batch.token, batch), on_device(device, batch), 2e-5));
}

// Guards a prompt that is sent in pieces: those before the last want no logits.
TEST_F(ForwardCuda, MayGiveNoLogits) {
  // Oracle: by hand. There is nothing to write, and a pass over no rows at all is fine.
  const DeviceModel model = upload(random_model(small_config()));
  Batch batch = Batch::causal(0, 0, std::vector{1, 2, 3});
  batch.logit_rows.clear();
  EXPECT_EQ(on_device(model, batch).rows(), 0);
  EXPECT_EQ(on_device(model, Batch()).rows(), 0);
}

// Guards against bad input: a batch is refused before a step begins.
TEST_F(ForwardCuda, RefusesWhatDoesNotFit) {
  // Oracle: the header.
  const DeviceModel model = upload(random_model(small_config()));
  DeviceOps ops = naive_ops_cuda();
  int n_begun = 0;
  ops.begin_step = [&](const Batch&, cudaStream_t) { ++n_begun; };
  const auto refuses = [&]<class Error>(const Batch& batch, const char* part, Error*) {
    return refuses_with<Error>([&] { on_device(model, batch, ops); }, {part});
  };
  const auto tokens = [](const std::vector<int>& of_rows) { return Batch::causal(0, 0, of_rows); };
  EXPECT_TRUE(refuses(tokens({1, 50}), "50", static_cast<std::out_of_range*>(nullptr)));
  EXPECT_TRUE(refuses(tokens({1, -2}), "-2", static_cast<std::out_of_range*>(nullptr)));
  Batch one_short = tokens({1, 2});
  one_short.token.pop_back();
  EXPECT_TRUE(refuses(one_short, "token", static_cast<std::invalid_argument*>(nullptr)));
  EXPECT_TRUE(refuses(tokens({1, Batch::kVector}), "vector", static_cast<std::invalid_argument*>(nullptr)));
  EXPECT_EQ(n_begun, 0);
}

// Guards the cost of a pass: the batch travels in one copy, and memory is found in place.
TEST_F(ForwardCudaCounters, CopiesOnceAndAllocatesNothingWhenItIsWarm) {
  // Oracle: counting. Tokens and vectors, a tree, a context.
  const DeviceModel model = upload(random_model(small_config()));
  const DeviceOps ops = naive_ops_cuda();
  DeviceWorkspace workspace;
  Batch batch = Batch::causal(0, 0, std::vector{1, 2, Batch::kVector});
  batch.vectors.assign(model.config.d_model, 0.5f);
  batch.add_tree(0, 3, std::vector{5, 6}, std::vector{Batch::kRoot, 0});
  batch.context.assign(5, {1, 0, 3});
  OnDevice logits = OnDevice::unwritten(Index(batch.logit_rows.size()), model.config.vocab_size);
  forward_cuda(model, batch, ops, workspace, logits);
  simt::reset_counters();
  forward_cuda(model, batch, ops, workspace, logits);
  EXPECT_EQ(simt::copy_counters().to_device, 1u);
  EXPECT_EQ(simt::copy_counters().to_host, 0u);
  EXPECT_EQ(simt::allocation_counters().allocations, 0u);
}

// Guards programs with several streams: nothing of a pass may end up on another one, where nobody waits for it.
TEST_F(ForwardCudaCounters, QueuesEverythingOnItsStream) {
  // Oracle: counting.
  const DeviceModel model = upload(random_model(small_config()));
  DeviceWorkspace workspace;
  OnDevice logits = OnDevice::unwritten(1, model.config.vocab_size);
  cudaStream_t stream;
  cuda_check(cudaStreamCreate(&stream));
  simt::reset_counters();
  forward_cuda(model, Batch::causal(0, 0, std::vector{1, 2}), naive_ops_cuda(), workspace, logits, stream);
  EXPECT_GT(simt::stream_counters(stream).launches, 0u);
  EXPECT_EQ(simt::stream_counters(stream).copies, 1u);
  EXPECT_EQ(simt::stream_counters(nullptr).launches, 0u);
  EXPECT_EQ(simt::stream_counters(nullptr).copies, 0u);
  cuda_check(cudaStreamDestroy(stream));
}

// Guards generation on the device.
TEST_F(GenerateCuda, SaysWhatTheCpuSays) {
  // Oracle: the CPU twin, greedy.
  Config config = small_config();
  config.vocab_size = kSmallVocabularySize;
  const Model model = random_model(config);
  const std::vector<int> prompt = {65, 66, 67};
  for (const int max_tokens : {0, 12}) {
    const Generation expected = generate(model, small_tokenizer(), prompt, {.max_tokens = max_tokens});
    const Generation got = generate_cuda(upload(model), small_tokenizer(), prompt, {.max_tokens = max_tokens});
    EXPECT_EQ(got.tokens, expected.tokens);
    EXPECT_EQ(got.reason, expected.reason);
  }
}

// Guards generation on the device.
TEST_F(GenerateCuda, StopsWhenItsListenerSaysSo) {
  // Oracle: by hand.
  Config config = small_config();
  config.vocab_size = kSmallVocabularySize;
  const std::vector<int> prompt = {65, 66, 67};
  int n = 0;
  const Generation got = generate_cuda(upload(random_model(config)), small_tokenizer(), prompt, {.max_tokens = 12},
                                       [&](int, std::string_view) { return ++n < 2; });
  EXPECT_EQ(got.tokens.size(), 2u);
  EXPECT_EQ(got.reason, StopReason::kStopped);
}

// Guards against bad input.
TEST_F(GenerateCuda, RefusesATemperature) {
  // Oracle: the header.
  const DeviceModel model = upload(random_model(small_config()));
  const std::vector<int> prompt = {1};
  const GenerateOptions options{.sampling = {.temperature = 0.5f}};
  EXPECT_THROW(generate_cuda(model, small_tokenizer(), prompt, options), InputError);
}

}  // namespace
}  // namespace waitless
