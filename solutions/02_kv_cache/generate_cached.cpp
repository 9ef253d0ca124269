#include "generate_cached.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/not_implemented.h"
#include "decoder.h"

namespace waitless {

CachedGeneration generate_cached(const Model& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                                 const GenerateOptions& options, const OnToken& on_token, const Clock& clock,
                                 const OpsOfCache& ops_of_cache) {
  // EXERCISE(2.7): read the clock; make a decoder with room enough; then generate_loop() of chapter 01, in which the
  // first token comes from a prefill and each other one from a decode step. Note the time of each token before on_token
  // is told.
  // SOLUTION_BEGIN(2.7)
  require_causal(model.config, "a KV cache");
  const double request = clock();
  const int context = model.config.context_length;
  const std::int64_t wanted = std::int64_t(prompt.size()) + options.max_tokens - 1;
  CachedDecoder decoder(model, int(std::clamp<std::int64_t>(wanted, 1, context)), ops_of_cache);
  std::vector<float> distribution(model.config.vocab_size);
  Random random(options.seed);
  int token;
  const NextTokens next_token = [&](std::span<const int> sequence) {
    if (decoder.next_position() == 0)
      prefill(decoder, sequence);
    else
      decode_step(decoder, sequence.back());
    token = sample({decoder.logits.data(), distribution.size()}, options.sampling, random, distribution);
    return std::span<const int>(&token, 1);
  };

  std::vector<double> token_times;
  const OnToken note_time = [&](int shown, std::string_view text) {
    if (shown >= 0) token_times.push_back(clock());
    return !on_token || on_token(shown, text);
  };
  CachedGeneration result;
  result.generation = generate_loop(next_token, tokenizer, prompt, context, options.max_tokens, note_time);
  result.timings = timings(request, token_times);
  result.kv_memory_bytes = decoder.cache.bytes();
  return result;
  // SOLUTION_END(2.7)
}

}  // namespace waitless
