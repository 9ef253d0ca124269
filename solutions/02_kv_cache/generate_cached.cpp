#include "generate_cached.h"

#include <algorithm>
#include <string>

#include "common/error.h"
#include "common/not_implemented.h"
#include "common/tokenizer/utf8.h"
#include "decoder.h"

namespace waitless {

CachedGeneration generate_cached(const Model& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                                 const GenerateOptions& options, const OnToken& on_token, const Clock& clock) {
  // EXERCISE(2.5): check the prompt; read the clock; prefill; then sample, stop or show, and a decode step, until done.
  // SOLUTION_BEGIN(2.5)
  const int context = model.config.context_length, n_prompt = int(prompt.size());
  if (prompt.empty()) throw InputError("the prompt is empty: give at least one token");
  if (n_prompt > context) {
    throw InputError("the prompt has " + std::to_string(n_prompt) + " tokens, but the model's context holds " +
                     std::to_string(context));
  }
  CachedGeneration result;
  const double request = clock();
  if (options.max_tokens <= 0) return result;

  // A sum that cannot overflow: the prompt fits the context.
  CachedDecoder decoder(model, n_prompt + std::min(options.max_tokens - 1, context - n_prompt));
  result.kv_memory_bytes = decoder.cache.bytes();
  const std::vector<int>& stop_tokens = tokenizer.stop_tokens();
  Matrix distribution(1, model.config.vocab_size);
  Random random(options.seed);
  Utf8Stream text;
  std::vector<int>& tokens = result.generation.tokens;
  std::vector<double> token_times;

  prefill(decoder, prompt);
  while (true) {
    const int token = sample({decoder.logits.data(), std::size_t(decoder.logits.size())}, options.sampling, random,
                             {distribution.data(), std::size_t(distribution.size())});
    if (std::find(stop_tokens.begin(), stop_tokens.end(), token) != stop_tokens.end()) {
      result.generation.reason = StopReason::kStopToken;
      break;
    }
    tokens.push_back(token);
    token_times.push_back(clock());
    if (on_token) on_token(token, text.push(tokenizer.bytes(token)));
    if (decoder.n_tokens() == context) {
      result.generation.reason = StopReason::kContextFull;
      break;
    }
    if (int(tokens.size()) >= options.max_tokens) break;
    decode_step(decoder, token);
  }
  const std::string rest = text.finish();
  if (on_token && !rest.empty()) on_token(-1, rest);
  result.timings = timings(request, token_times);
  return result;
  // SOLUTION_END(2.5)
}

}  // namespace waitless
