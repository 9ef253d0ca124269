#include "generate.h"

#include <algorithm>
#include <optional>
#include <string>

#include "common/base/error.h"
#include "common/base/not_implemented.h"
#include "common/tokenizer/utf8.h"
#include "forward.h"

namespace waitless {

Generation generate_loop(const NextTokens& next_tokens, const Tokenizer& tokenizer, std::span<const int> prompt,
                         int context_length, int max_tokens, const OnToken& on_token) {
  // EXERCISE(1.11): check the prompt; then for each next token stop, or show and append it, until done. Stream the text
  // through a Utf8Stream.
  // SOLUTION_BEGIN(1.11)
  if (prompt.empty()) throw InputError("the prompt is empty: give at least one token");
  if (int(prompt.size()) > context_length) {
    throw InputError("the prompt has " + std::to_string(prompt.size()) + " tokens, but the model's context holds " +
                     std::to_string(context_length));
  }
  const std::vector<int>& stop_tokens = tokenizer.stop_tokens();
  Utf8Stream text;
  std::vector<int> sequence(prompt.begin(), prompt.end());
  Generation generation;

  /// Shows and appends a token. @return why it is the last, if it is
  const auto take = [&](int token) -> std::optional<StopReason> {
    if (std::find(stop_tokens.begin(), stop_tokens.end(), token) != stop_tokens.end()) return StopReason::kStopToken;
    generation.tokens.push_back(token);
    if (on_token && !on_token(token, text.push(tokenizer.bytes(token)))) return StopReason::kStopped;
    if (int(sequence.size()) == context_length) return StopReason::kContextFull;
    if (int(generation.tokens.size()) == max_tokens) return StopReason::kMaxTokens;
    sequence.push_back(token);
    return {};
  };

  std::optional<StopReason> end;
  if (max_tokens <= 0) end = StopReason::kMaxTokens;
  while (!end) {
    for (const int token : next_tokens(sequence)) {
      if (end = take(token); end) break;
    }
  }
  generation.reason = *end;
  const std::string rest = text.finish();
  if (on_token && !rest.empty()) on_token(-1, rest);
  return generation;
  // SOLUTION_END(1.11)
}

Generation generate(const Model& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                    const GenerateOptions& options, const OnToken& on_token, const Ops& ops) {
  // EXERCISE(1.11): the next token of the naive way is a forward pass over the whole sequence and a sample of its last
  // logits. Run the loop with it.
  // SOLUTION_BEGIN(1.11)
  const Config& config = model.config;
  require_causal(model.config, "generation");
  Workspace workspace;
  std::vector<float> logits(config.vocab_size), distribution(config.vocab_size);
  Random random(options.seed);
  int token;
  const NextTokens next_token = [&](std::span<const int> sequence) {
    forward(model, Batch::causal(0, 0, sequence), ops, workspace, MatrixMap(logits.data(), 1, config.vocab_size));
    token = sample(logits, options.sampling, random, distribution);
    return std::span<const int>(&token, 1);
  };
  return generate_loop(next_token, tokenizer, prompt, config.context_length, options.max_tokens, on_token);
  // SOLUTION_END(1.11)
}

}  // namespace waitless
