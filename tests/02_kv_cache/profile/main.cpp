#include <cstdio>
#include <exception>

#include "cached_operators_cuda.h"
#include "common/testing/on_device.h"
#include "common/testing/random_model.h"
#include "device_kv_cache.h"

/// What ./course profile 02 runs: attention of SmolLM2's shape, one layer of it. A prompt of 255 tokens is stored and
/// attends, then one more token.
int main() {
  using namespace waitless;
  constexpr int kPrompt = 255;
  Config config;
  config.n_layers = 1;
  config.n_heads = 9;
  config.n_kv_heads = 3;
  config.head_dim = 64;
  DeviceKvCache cache(config, kPrompt + 1);
  DeviceAttentionScratch scratch;
  const auto run = [](auto launch) {
    try {
      launch();
    } catch (const std::exception& error) {  // not implemented, or reads what another should have stored
      std::puts(error.what());
    }
  };
  for (const Batch& batch : {Batch::causal(0, 0, kPrompt), Batch::causal(0, kPrompt, 1)}) {
    const Index T = batch.n_rows();
    const OnDevice q(random_matrix(T, config.q_dim(), 1)), k(random_matrix(T, config.kv_dim(), 2)),
        v(random_matrix(T, config.kv_dim(), 3));
    OnDevice out = OnDevice::unwritten(T, config.q_dim());
    const DeviceBatch device_batch(batch);
    run([&] { cache.begin(batch); });  // the host's books, exercise 2.2
    const DeviceKvView view = cache.view(0);
    run([&] { append_cuda(view, k, v, device_batch.view()); });
    if (T > 1)
      run([&] { prefill_attention_cuda(config, view, q, k, v, device_batch.view(), out); });
    else
      run([&] { decode_attention_cuda(config, view, q, k, v, device_batch.view(), scratch, out, 2); });
  }
}
