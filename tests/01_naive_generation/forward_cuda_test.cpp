#include "forward_cuda.h"

#include <numeric>
#include <vector>

#include "common/error.h"
#include "common/testing/compare.h"
#include "common/testing/cuda_test.h"
#include "common/testing/on_device.h"
#include "common/testing/random_model.h"
#include "common/testing/small_tokenizer.h"
#include "forward.h"
#include "generate_cuda.h"
#include "operators_cuda.h"

namespace waitless {
namespace {

using ForwardCuda = CudaTest;
using GenerateCuda = CudaTest;

Matrix on_cpu(const Model& model, const std::vector<int>& tokens, const Batch& batch) {
  Workspace workspace;
  Matrix logits(Index(batch.logit_rows.size()), model.config.vocab_size);
  forward(model, tokens, batch, naive_ops(model.config), workspace, logits);
  return logits;
}

Matrix on_device(const Model& model, const std::vector<int>& tokens, const Batch& batch, const DeviceOps& ops) {
  DeviceWorkspace workspace;
  OnDevice logits = OnDevice::unwritten(Index(batch.logit_rows.size()), model.config.vocab_size);
  forward_cuda(upload(model), tokens, batch, ops, workspace, logits);
  return logits.to_host();
}

// Guards the device's forward pass as a whole.
TEST_F(ForwardCuda, EqualsTheCpu) {
  // Oracle: the CPU twin. Two sequences, a tree and a block; logits of every row.
  const Model model = random_model(small_config());
  Batch batch = Batch::causal(0, 0, 4);
  batch.append(Batch::causal(1, 7, 3));
  batch.append(Batch::tree(0, 4, {Batch::kRoot, 0, 0}));
  batch.append(Batch::bidirectional_block(1, 10, 2));
  batch.logit_rows.resize(batch.n_rows());
  std::iota(batch.logit_rows.begin(), batch.logit_rows.end(), 0);
  const std::vector<int> tokens = {4, 8, 15, 16, 23, 42, 1, 2, 3, 5, 7, 11};
  EXPECT_TRUE(
      near(on_cpu(model, tokens, batch), on_device(model, tokens, batch, naive_device_ops(model.config)), 2e-5));
}

// Guards the device's forward pass as a whole.
TEST_F(ForwardCuda, UploadsATiedEmbeddingOnce) {
  // Oracle: the CPU twin, and counting.
  Model model = random_model(small_config());
  model.output = model.token_embedding;
  const DeviceModel device = upload(model);
  EXPECT_EQ(&device.output(), &device.token_embedding);
  const Batch batch = Batch::causal(0, 0, 3);
  EXPECT_TRUE(
      near(on_cpu(model, {1, 2, 3}, batch), on_device(model, {1, 2, 3}, batch, naive_device_ops(model.config)), 2e-5));
}

// Guards the seams on the device: a replaced mixer and a replaced linear layer are called, and nothing else.
TEST_F(ForwardCuda, GoesThroughTheSeams) {
  // Oracle: counting. 7 linear layers a layer and one for the logits; with a mixer of one's own only 3.
  const Model model = random_model(small_config());
  int linears = 0, mixers = 0;
  DeviceOps ops = naive_device_ops(model.config);
  ops.linear = [&](const DeviceWeight& w, ConstDeviceMatrix x, DeviceMatrix out, cudaStream_t stream) {
    ++linears;
    linear_cuda(w.view(), x, out, stream);
  };
  on_device(model, {1, 2}, Batch::causal(0, 0, 2), ops);
  EXPECT_EQ(linears, 2 * 7 + 1);
  linears = 0;
  ops.mixer = [&](int layer, ConstDeviceMatrix x, const BatchView&, DeviceMatrix out, cudaStream_t) {
    EXPECT_EQ(layer, mixers++);
    cuda_check(cudaMemcpy(out.data, x.data, x.rows * x.cols * sizeof(float), cudaMemcpyDeviceToDevice));
  };
  on_device(model, {1, 2}, Batch::causal(0, 0, 2), ops);
  EXPECT_EQ(linears, 2 * 3 + 1);
  EXPECT_EQ(mixers, 2);
}

// Guards against bad input.
TEST_F(ForwardCuda, RefusesWhatDoesNotFit) {
  // Oracle: the header.
  const Model model = random_model(small_config());
  const DeviceOps ops = naive_device_ops(model.config);
  EXPECT_THROW(on_device(model, {1, 50}, Batch::causal(0, 0, 2), ops), std::out_of_range);
  EXPECT_THROW(on_device(model, {1, -1}, Batch::causal(0, 0, 2), ops), std::out_of_range);
  EXPECT_THROW(on_device(model, {1}, Batch::causal(0, 0, 2), ops), std::invalid_argument);
}

// Guards generation on the device.
TEST_F(GenerateCuda, SaysWhatTheCpuSays) {
  // Oracle: the CPU twin, greedy.
  Config config = small_config();
  config.vocab_size = kSmallVocabularySize;
  const Model model = random_model(config);
  const std::vector<int> prompt = {65, 66, 67};
  const Generation expected = generate(model, small_tokenizer(), prompt, {.max_tokens = 12});
  const Generation got = generate_cuda(upload(model), small_tokenizer(), prompt, {.max_tokens = 12});
  EXPECT_EQ(got.tokens, expected.tokens);
  EXPECT_EQ(got.reason, expected.reason);
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
