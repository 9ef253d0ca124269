#include "generate.h"

#include <algorithm>
#include <string>

#include "common/error.h"
#include "common/not_implemented.h"
#include "common/tokenizer/utf8.h"
#include "forward.h"

namespace waitless {

Generation generate(const Model& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                    const GenerateOptions& options, const OnToken& on_token) {
  // EXERCISE(1.9): check the prompt; then forward over all tokens, sample, stop or append, until done. Stream the
  // text through a Utf8Stream.
  // SOLUTION_BEGIN(1.9)
  const Config& config = model.config;
  if (prompt.empty()) throw InputError("the prompt is empty: give at least one token");
  if (int(prompt.size()) > config.context_length) {
    throw InputError("the prompt has " + std::to_string(prompt.size()) + " tokens, but the model's context holds " +
                     std::to_string(config.context_length));
  }

  const Ops ops = naive_ops(config);
  const std::vector<int>& stop_tokens = tokenizer.stop_tokens();
  Workspace workspace;
  Matrix logits(1, config.vocab_size), distribution(1, config.vocab_size);
  Random random(options.seed);
  Utf8Stream text;
  std::vector<int> sequence(prompt.begin(), prompt.end());
  Generation generation;

  while (int(generation.tokens.size()) < options.max_tokens) {
    forward(model, sequence, Batch::causal(0, 0, int(sequence.size())), ops, workspace, logits);
    const int token = sample({logits.data(), std::size_t(logits.size())}, options.sampling, random,
                             {distribution.data(), std::size_t(distribution.size())});
    if (std::find(stop_tokens.begin(), stop_tokens.end(), token) != stop_tokens.end()) {
      generation.reason = StopReason::kStopToken;
      break;
    }
    generation.tokens.push_back(token);
    if (on_token) on_token(token, text.push(tokenizer.bytes(token)));
    if (int(sequence.size()) == config.context_length) {
      generation.reason = StopReason::kContextFull;
      break;
    }
    sequence.push_back(token);
  }
  const std::string rest = text.finish();
  if (on_token && !rest.empty()) on_token(-1, rest);
  return generation;
  // SOLUTION_END(1.9)
}

}  // namespace waitless
