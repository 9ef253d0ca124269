// The forward pass on the device serves later chapters without being edited, as that on the CPU does (seams_test.cpp).

#include <map>
#include <vector>

#include "common/model/device_batch.h"
#include "common/testing/compare.h"
#include "common/testing/cuda_test.h"
#include "common/testing/on_device.h"
#include "common/testing/random_model.h"
#include "common/testing/refuses.h"
#include "forward.h"
#include "forward_cuda.h"
#include "kernels_cuda.h"
#include "oracles.h"

namespace waitless {
namespace {

using SeamsCuda = CudaTest;

Matrix forward_of(const Model& model, const Batch& batch, const DeviceOps& ops) {
  DeviceWorkspace workspace;
  OnDevice logits = OnDevice::unwritten(Index(batch.logit_rows.size()), model.config.vocab_size);
  forward_cuda(upload(model), batch, ops, workspace, logits);
  return logits.to_host();
}

// Guards chapter 10: a linear layer of one's own is asked for each weight.
TEST_F(SeamsCuda, EveryWeightGoesThroughLinear) {
  // Oracle: counting. 7 linear layers a layer and one for the logits, each told its role and layer.
  const Model model = random_model(small_config());
  std::map<std::pair<WeightRole, int>, int> calls;
  DeviceOps ops = naive_ops_cuda();
  ops.linear = [&](const DeviceWeight& w, ConstDeviceMatrix x, DeviceMatrix out, cudaStream_t stream) {
    ++calls[{w.role, w.layer}];
    linear_cuda(w.f32(), x, out, stream);
  };
  forward_of(model, Batch::causal(0, 0, std::vector{1, 2}), ops);
  EXPECT_EQ(calls.size(), 2u * 7 + 1);
  for (const auto& [weight, n] : calls) EXPECT_EQ(n, 1);
}

// Guards chapter 09: soft prompts, gists and images.
TEST_F(SeamsCuda, InputsNeedNotBeTokens) {
  // Oracle: double precision. Two learned vectors stand before two tokens.
  const Model model = random_model(small_config());
  const Index d_model = model.config.d_model;
  const Matrix soft = random_matrix(2, d_model, 77);
  Batch batch = Batch::causal(0, 0, std::vector{Batch::kVector, Batch::kVector, 8, 9});
  batch.vectors.assign(soft.data(), soft.data() + soft.size());
  batch.logit_rows = {3, 2};
  oracle::MatrixXd x(4, d_model);
  x << soft.cast<double>(), oracle::embed(model, std::vector{8, 9});
  x = oracle::rms_norm(oracle::decode_layers(model, x, batch, 0, 2), oracle::values(model.output_norm), 1e-5);
  const oracle::MatrixXd expected = x * oracle::values(model.output).transpose();
  const Matrix logits = forward_of(model, batch, naive_ops_cuda());
  EXPECT_TRUE(near(expected.row(3), logits.row(0), 2e-5));
  EXPECT_TRUE(near(expected.row(2), logits.row(1), 2e-5));
}

/// A mixer that takes the normed stream as it is.
void pass_through(const DeviceModel&, int, ConstDeviceMatrix x, const BatchView&, const DeviceOps&, DeviceWorkspace&,
                  DeviceMatrix out, cudaStream_t stream) {
  const std::size_t n_bytes = std::size_t(x.rows) * x.cols * sizeof(float);
  cuda_check(cudaMemcpyAsync(out.data, x.data, n_bytes, cudaMemcpyDeviceToDevice, stream));
}

// Guards chapter 06: layers of two kinds.
TEST_F(SeamsCuda, AHybridMixesEachLayerAsItsKindSays) {
  // Oracle: the CPU twin, with the same mixers. Layer 0 passes through, layer 1 attends.
  Model model = random_model(small_config());
  model.layers[0].kind = "pass through";
  const Batch batch = Batch::causal(0, 0, std::vector{4, 5, 6});
  Ops ops = naive_ops();
  ops.mixers["pass through"] = [](const Model&, int, const ConstMatrixRef& x, const Batch&, const Ops&, Workspace&,
                                  MatrixRef out) { out = x; };
  Workspace workspace;
  Matrix expected(1, model.config.vocab_size);
  forward(model, batch, ops, workspace, expected);
  DeviceOps device_ops = naive_ops_cuda();
  device_ops.mixers["pass through"] = pass_through;
  EXPECT_TRUE(near(expected, forward_of(model, batch, device_ops), 2e-5));
  EXPECT_TRUE(
      refuses_with<std::invalid_argument>([&] { forward_of(model, batch, naive_ops_cuda()); }, {"pass through"}));
}

// Guards chapters 08 and 12: a mixer may run another one, with a probe or a router around it.
TEST_F(SeamsCuda, AMixerMayRunAnotherOne) {
  // Oracle: invariance.
  const Model model = random_model(small_config());
  std::vector<int> layers;
  DeviceOps wrapped = naive_ops_cuda();
  wrapped.mixers["attention"] = [&](const DeviceModel& m, int layer, ConstDeviceMatrix x, const BatchView& batch,
                                    const DeviceOps& ops, DeviceWorkspace& workspace, DeviceMatrix out,
                                    cudaStream_t stream) {
    layers.push_back(layer);
    attention_mixer_cuda(m, layer, x, batch, ops, workspace, out, stream);
  };
  const Batch batch = Batch::causal(0, 0, std::vector{4, 5, 6});
  EXPECT_EQ(forward_of(model, batch, naive_ops_cuda()), forward_of(model, batch, wrapped));
  EXPECT_EQ(layers, (std::vector{0, 1}));
}

// Guards chapter 11: a pipeline stage runs a range of the layers, which keep their numbers.
TEST_F(SeamsCuda, APipelineStageRunsARangeOfLayers) {
  // Oracle: double precision, and by hand.
  const Model model = random_model(small_config());
  const DeviceModel device = upload(model);
  const Batch batch = Batch::causal(0, 0, 3);
  const DeviceBatch on_device(batch);
  const Matrix start = random_matrix(3, model.config.d_model);
  std::vector<int> layers;
  DeviceOps ops = naive_ops_cuda();
  ops.attention = [&, attention = ops.attention](const Config& config, int layer, auto... arguments) {
    layers.push_back(layer);
    attention(config, layer, arguments...);
  };
  DeviceWorkspace workspace;
  OnDevice x(start);
  decode_layers_cuda(device, x, on_device.view(), ops, workspace, 1, 2);
  EXPECT_TRUE(near(oracle::decode_layers(model, start.cast<double>(), batch, 1, 2), x.to_host(), 1e-5));
  EXPECT_EQ(layers, std::vector{1});
}

// Guards chapters 02 and 12: what holds for a whole step is done once, before anything is queued.
TEST_F(SeamsCuda, AStepBeginsAndEndsOnce) {
  // Oracle: by hand.
  const Model model = random_model(small_config());
  std::vector<char> events;
  DeviceOps ops = naive_ops_cuda();
  ops.begin_step = [&](const Batch& batch, cudaStream_t) {
    EXPECT_EQ(batch.token, (std::vector{4, 5}));
    events.push_back('b');
  };
  ops.attention = [&, attention = ops.attention](auto&&... arguments) {
    events.push_back('a');
    attention(arguments...);
  };
  ops.end_step = [&] { events.push_back('e'); };
  forward_of(model, Batch::causal(0, 0, std::vector{4, 5}), ops);
  EXPECT_EQ(events, (std::vector{'b', 'a', 'a', 'e'}));
}

}  // namespace
}  // namespace waitless
