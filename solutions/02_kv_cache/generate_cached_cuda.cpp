#include "generate_cached_cuda.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "01_naive_generation/forward_cuda.h"
#include "01_naive_generation/operators_cuda.h"
#include "cached_operators_cuda.h"
#include "common/error.h"
#include "common/not_implemented.h"
#include "device_kv_cache.h"

namespace waitless {

DeviceOps cached_device_ops(const Config& config, DeviceKvCache& cache) {
  constexpr int kFewRows = 8;
  DeviceOps ops = naive_device_ops(config);
  ops.attention = [config, &cache, scratch = std::make_shared<DeviceAttentionScratch>()](
                      int layer, ConstDeviceMatrix q, ConstDeviceMatrix k, ConstDeviceMatrix v, const BatchView& batch,
                      DeviceMatrix out, cudaStream_t stream) {
    const DeviceKvView view = cache.view(layer);
    append_cuda(view, k, v, batch, stream);
    if (batch.n_rows < kFewRows)
      decode_attention_cuda(config, view, q, k, v, batch, *scratch, out, 0, stream);
    else
      prefill_attention_cuda(config, view, q, k, v, batch, out, stream);
  };
  return ops;
}

CachedGeneration generate_cached_cuda(const DeviceModel& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                                      const GenerateOptions& options, const OnToken& on_token, const Clock& clock) {
  // EXERCISE(C2.4): like generate_cached(): a DeviceKvCache, cached_device_ops(), and for each pass cache.begin(batch),
  // forward_cuda() over the new tokens only, and argmax_cuda().
  // SOLUTION_BEGIN(C2.4)
  const Config& config = model.config;
  if (options.sampling.temperature != 0) {
    throw InputError("on the device this chapter only takes the most likely token: leave out --temperature");
  }
  const double request = clock();
  const std::int64_t wanted = std::int64_t(prompt.size()) + options.max_tokens - 1;
  DeviceKvCache cache(config, int(std::clamp<std::int64_t>(wanted, 1, config.context_length)));
  const DeviceOps ops = cached_device_ops(config, cache);
  DeviceWorkspace workspace;
  DeviceBuffer<float> logits(config.vocab_size);
  DeviceBuffer<int> best_token(1);
  const NextToken most_likely = [&](std::span<const int> sequence) {
    const int n_cached = cache.n_stored(0), n_new = int(sequence.size()) - n_cached;
    const Batch batch = Batch::causal(0, n_cached, n_new);
    cache.begin(batch);
    const DeviceMatrix last_row{logits.data(), 1, config.vocab_size};
    forward_cuda(model, sequence.last(n_new), batch, ops, workspace, last_row);
    argmax_cuda(last_row, best_token.data());
    return best_token.to_host()[0];
  };

  std::vector<double> token_times;
  const OnToken note_time = [&](int token, std::string_view text) {
    if (token >= 0) token_times.push_back(clock());
    if (on_token) on_token(token, text);
  };
  CachedGeneration result;
  result.generation =
      generate_loop(most_likely, tokenizer, prompt, config.context_length, options.max_tokens, note_time);
  result.timings = timings(request, token_times);
  result.kv_memory_bytes = cache.bytes();
  return result;
  // SOLUTION_END(C2.4)
}

}  // namespace waitless
