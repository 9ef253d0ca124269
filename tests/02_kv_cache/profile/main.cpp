#include <cstdio>
#include <exception>
#include <numeric>
#include <vector>

#include "cached_kernels_cuda.h"
#include "common/model/device_batch.h"
#include "common/testing/on_device.h"
#include "common/testing/random_model.h"

/// What ./course profile 02 runs: attention of SmolLM2's shape, one layer of it. A prompt of 255 tokens is stored and
/// attends, then one more token. Slot = position here, so that the kernels need no table of slots.
int main() {
  using namespace waitless;
  constexpr int kPrompt = 255, kSlots = kPrompt + 1;
  Config config;
  config.n_layers = 1;
  config.n_heads = 9;
  config.n_kv_heads = 3;
  config.head_dim = 64;
  OnDevice keys(Matrix::Zero(config.n_kv_heads * kSlots, config.head_dim)), values = OnDevice(keys.to_host());
  const DeviceKvView cache = {DeviceMatrix(keys).data, DeviceMatrix(values).data, config.n_kv_heads, kSlots,
                              config.head_dim};
  DeviceAttentionScratch scratch;
  const auto run = [](auto launch) {
    try {
      launch();
    } catch (const std::exception& error) {  // not implemented
      std::puts(error.what());
    }
  };
  for (const Batch& batch : {Batch::causal(0, 0, kPrompt), Batch::causal(0, kPrompt, 1)}) {
    const int T = batch.n_rows(), start = batch.position[0];
    const OnDevice q(random_matrix(T, config.q_dim(), 1)), k(random_matrix(T, config.kv_dim(), 2)),
        v(random_matrix(T, config.kv_dim(), 3));
    OnDevice out = OnDevice::unwritten(T, config.q_dim());
    std::vector<int> slots(T);
    std::iota(slots.begin(), slots.end(), start);
    const SlotSpan stored[] = {{0, 0, start}};
    DeviceAttentionPlan plan;
    plan.make(batch, slots, [&](int) { return std::span<const SlotSpan>(stored, start > 0 ? 1 : 0); });
    const DeviceBatch on_device(batch);
    run([&] { append_cuda(cache, plan.view().slot, k, v); });
    run([&] { prefill_attention_cuda(config, cache, plan.view(), q, k, v, on_device.view(), out); });
    run([&] { decode_attention_cuda(config, cache, plan.view(), q, k, v, on_device.view(), scratch, out); });
  }
}
