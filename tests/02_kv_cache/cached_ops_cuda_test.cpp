// The cache on the device and the operators around it, which the programs use.

#include "cached_ops_cuda.h"

#include <vector>

#include "common/model/device_batch.h"
#include "common/testing/compare.h"
#include "common/testing/counters_test.h"
#include "common/testing/cuda_test.h"
#include "common/testing/on_device.h"
#include "common/testing/random_model.h"
#include "common/testing/refuses.h"
#include "scene.h"

namespace waitless {
namespace {

using DeviceCache = CudaTest;
using CachedOpsCuda = CudaTest;
class CachedOpsCudaCounters : public CountersTest {};

/// Scene on the device.
struct CachedSceneCuda {
  Config config;
  DeviceKvCache cache;
  DeviceOps ops;
  Memory memory;

  CachedSceneCuda(const Config& c, int n_slots) : config(c), cache(c, n_slots), ops(cached_ops_cuda(cache)) {}
  CachedSceneCuda(const CachedSceneCuda&) = delete;

  Matrix attend(const Batch& batch, const Rows& rows) {
    OnDevice out = OnDevice::unwritten(batch.n_rows(), config.q_dim());
    const DeviceBatch on_device(batch);
    ops.begin_step(batch, nullptr);
    ops.attention(config, 0, OnDevice(rows.q), OnDevice(rows.k), OnDevice(rows.v), on_device.view(), out, nullptr);
    ops.end_step();
    return out.to_host();
  }

  testing::AssertionResult right(const Batch& batch, const char* hint = "") {
    const Rows rows = random_rows(config, batch, seed_ += 10);
    const MatrixXd truth = oracle_attention(config, memory, batch, rows);
    const auto result = near(truth, attend(batch, rows), 2e-6, hint);
    memory.add(batch, rows);
    return result;
  }

  void keep(const std::vector<int>& rows) {
    cache.slots.keep(rows);
    memory.keep(rows);
  }
  void fork(int from, int to) {
    cache.slots.fork(from, to);
    memory.fork(from, to);
  }
  void evict(int sequence, int first, int last) {
    cache.slots.evict(sequence, first, last);
    memory.evict(sequence, first, last);
  }
  void truncate(int sequence, int n_positions) {
    cache.slots.truncate(sequence, n_positions);
    memory.truncate(sequence, n_positions);
  }

 private:
  std::uint64_t seed_ = 1;
};

// Guards append, both kernels and the table of slots together.
TEST_F(CachedOpsCuda, SeeWhatEachKindOfRowMaySee) {
  // Oracle: double precision.
  CachedSceneCuda scene(attention_shape(6, 2, 8), 200);
  for_each_situation(scene, [&](const Batch& batch, const char* what) { EXPECT_TRUE(scene.right(batch, what)); });
}

// Guards a batch with prompts and decoding sequences, which both kernels serve.
TEST_F(CachedOpsCuda, ServeFewAndManyRowsInOneStep) {
  // Oracle: double precision.
  CachedSceneCuda scene(attention_shape(4, 2, 6), 120);
  Batch prompts = Batch::causal(0, 0, 30);
  prompts.append(Batch::causal(1, 0, 3));
  EXPECT_TRUE(scene.right(prompts));
  Batch mixed = Batch::causal(0, 30, 1);
  mixed.append(Batch::causal(2, 0, 40));
  mixed.append(Batch::causal(1, 3, 7));
  EXPECT_TRUE(scene.right(mixed));
}

// Guards a step that does not fit: it is refused before anything is queued.
TEST_F(CachedOpsCudaCounters, RefuseAStepBeforeAnythingIsQueued) {
  // Oracle: counting. Two rows, one free slot.
  const DeviceModel model = upload(random_model(small_config()));
  DeviceKvCache cache(model.config, 4);
  const DeviceOps ops = cached_ops_cuda(cache);
  DeviceWorkspace workspace;
  OnDevice logits = OnDevice::unwritten(1, model.config.vocab_size);
  forward_cuda(model, Batch::causal(0, 0, std::vector{1, 2, 3}), ops, workspace, logits);
  simt::reset_counters();
  const Batch too_many = Batch::causal(0, 3, std::vector{4, 5});
  EXPECT_THROW(forward_cuda(model, too_many, ops, workspace, logits), CacheFull);
  EXPECT_EQ(simt::copy_counters().to_device, 0u);
  EXPECT_TRUE(simt::all_counters().empty());
  EXPECT_EQ(cache.slots.n_stored(0), 3);
  forward_cuda(model, Batch::causal(0, 3, std::vector{4}), ops, workspace, logits);
  EXPECT_EQ(cache.slots.n_stored(0), 4) << "after the error the cache goes on as before";
}

// Guards the cost of a decode step.
TEST_F(CachedOpsCudaCounters, CopyTwiceAndAllocateNothingWhenTheyAreWarm) {
  // Oracle: counting. The batch goes to the device, and slots and plan do.
  const DeviceModel model = upload(random_model(small_config()));
  DeviceKvCache cache(model.config, 60);
  const DeviceOps ops = cached_ops_cuda(cache);
  DeviceWorkspace workspace;
  OnDevice logits = OnDevice::unwritten(1, model.config.vocab_size);
  forward_cuda(model, Batch::causal(0, 0, std::vector<int>(40, 7)), ops, workspace, logits);
  const auto step = [&] {
    forward_cuda(model, Batch::causal(0, cache.slots.next_position(0), std::vector{4}), ops, workspace, logits);
  };
  step();
  simt::reset_counters();
  for (int i = 0; i < 10; ++i) step();
  EXPECT_EQ(simt::copy_counters().to_device, 2u * 10);
  EXPECT_EQ(simt::copy_counters().to_host, 0u);
  EXPECT_EQ(simt::allocation_counters().allocations, 0u);
}

// Guards programs with several streams.
TEST_F(CachedOpsCudaCounters, QueueEverythingOnTheirStream) {
  // Oracle: counting. A step that both kernels serve.
  const DeviceModel model = upload(random_model(small_config()));
  DeviceKvCache cache(model.config, 60);
  DeviceWorkspace workspace;
  OnDevice logits = OnDevice::unwritten(2, model.config.vocab_size);
  Batch batch = Batch::causal(0, 0, std::vector<int>(20, 7));
  batch.append(Batch::causal(1, 0, std::vector{1, 2}));
  cudaStream_t stream;
  cuda_check(cudaStreamCreate(&stream));
  simt::reset_counters();
  forward_cuda(model, batch, cached_ops_cuda(cache), workspace, logits, stream);
  EXPECT_EQ(simt::stream_counters(stream).copies, 2u);
  EXPECT_EQ(simt::stream_counters(nullptr).copies, 0u);
  EXPECT_EQ(simt::stream_counters(nullptr).launches, 0u);
  for (const char* kernel : {"append_kernel", "decode_attention_kernel", "prefill_attention_kernel"}) {
    EXPECT_EQ(simt::counters(kernel).launches, std::uint64_t(model.config.n_layers)) << kernel;
  }
  cuda_check(cudaStreamDestroy(stream));
}

// Guards the chain of operators: what the base does at a step is done as well.
TEST_F(CachedOpsCuda, BeginAndEndTheStepsOfTheirBaseToo) {
  // Oracle: counting.
  int n_begun = 0, n_ended = 0;
  DeviceOps base = naive_ops_cuda();
  base.begin_step = [&](const Batch&, cudaStream_t) { ++n_begun; };
  base.end_step = [&] { ++n_ended; };
  DeviceKvCache cache(attention_shape(2, 1, 4), 4);
  const DeviceOps ops = cached_ops_cuda(cache, base);
  ops.begin_step(Batch::causal(0, 0, 1), nullptr);
  ops.end_step();
  EXPECT_EQ(n_begun, 1);
  EXPECT_EQ(n_ended, 1);
  EXPECT_EQ(cache.slots.n_stored(0), 1);
}

// Guards against a plan of another step, by which a kernel would go astray.
TEST_F(CachedOpsCuda, RefuseRowsWhoseStepHasNotBegun) {
  // Oracle: by hand. Before the first step, with another number of rows, and after the step has ended.
  const Config config = attention_shape(2, 1, 4);
  CachedSceneCuda scene(config, 8);
  const Batch batch = Batch::causal(0, 0, 2), other = Batch::causal(0, 0, 3);
  const DeviceBatch on_device(batch), other_on_device(other);
  const auto attend = [&](const Batch& of_rows, const DeviceBatch& its_view) {
    const Rows rows = random_rows(config, of_rows, 1);
    OnDevice out = OnDevice::unwritten(of_rows.n_rows(), config.q_dim());
    scene.ops.attention(config, 0, OnDevice(rows.q), OnDevice(rows.k), OnDevice(rows.v), its_view.view(), out, nullptr);
  };
  const auto refuses = [&](const Batch& of_rows, const DeviceBatch& its_view) {
    return refuses_with<std::invalid_argument>([&] { attend(of_rows, its_view); }, {"step"});
  };
  EXPECT_TRUE(refuses(batch, on_device));
  scene.ops.begin_step(batch, nullptr);
  EXPECT_TRUE(refuses(other, other_on_device));
  attend(batch, on_device);
  scene.ops.end_step();
  EXPECT_TRUE(refuses(batch, on_device));
}

// Guards the device cache: some layers of a model, all heads of them, each at a place of its own.
TEST_F(DeviceCache, StoresTheLayersThatAreNamed) {
  // Oracle: by hand. Layers 3 and 1 of 5, 2 heads of 4, 6 slots.
  Config config = attention_shape(4, 2, 4);
  config.n_layers = 5;
  DeviceKvCache cache(config, 6, {3, 1});
  EXPECT_EQ(cache.bytes(), 2 * 2 * 2 * 6 * 4 * 4);
  EXPECT_EQ(cache.view(1).keys - cache.view(3).keys, 2 * 6 * 4);
  EXPECT_EQ(cache.view(1).values - cache.view(3).values, 2 * 6 * 4);
  EXPECT_EQ(cache.view(1).n_slots, 6);
  for (const int layer : {-1, 0, 5}) {
    EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { cache.view(layer); }, {"layer " + std::to_string(layer)}));
  }
  EXPECT_THROW(DeviceKvCache(config, 0), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
