#include "generate_cached_cuda.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "01_naive_generation/forward_cuda.h"
#include "01_naive_generation/kernels_cuda.h"
#include "common/base/error.h"
#include "common/base/not_implemented.h"
#include "device_kv_cache.h"

namespace waitless {

CachedGeneration generate_cached_cuda(const DeviceModel& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                                      const GenerateOptions& options, const OnToken& on_token, const Clock& clock,
                                      const DeviceOpsOfCache& ops_of_cache) {
  // EXERCISE(C2.4): like generate_cached(): a DeviceKvCache, its ops, and for each pass a batch of the tokens that the
  // cache has not seen, forward_cuda() over it, and argmax_cuda() of its logits.
  // SOLUTION_BEGIN(C2.4)
  const Config& config = model.config;
  if (options.sampling.temperature != 0) {
    throw InputError("on the device this chapter only takes the most likely token: leave out --temperature");
  }
  require_causal(config, "a KV cache");
  const double request = clock();
  const std::int64_t wanted = std::int64_t(prompt.size()) + options.max_tokens - 1;
  DeviceKvCache cache(config, int(std::clamp<std::int64_t>(wanted, 1, config.context_length)),
                      layers_of_kind(model.layers, "attention"));
  const DeviceOps ops = ops_of_cache(cache);
  DeviceWorkspace workspace;
  DeviceBuffer<float> logits(config.vocab_size);
  DeviceBuffer<int> best_token(1);
  Batch batch;
  int token;
  const NextTokens most_likely = [&](std::span<const int> sequence) {
    const int n_cached = cache.slots.next_position(0);
    batch.clear();
    batch.add_causal(0, n_cached, sequence.subspan(n_cached));
    const DeviceMatrix last_row{logits.data(), 1, config.vocab_size};
    forward_cuda(model, batch, ops, workspace, last_row);
    argmax_cuda(last_row, best_token.data());
    best_token.copy_to_host({&token, 1});
    return std::span<const int>(&token, 1);
  };

  std::vector<double> token_times;
  const OnToken note_time = [&](int shown, std::string_view text) {
    if (shown >= 0) token_times.push_back(clock());
    return !on_token || on_token(shown, text);
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
