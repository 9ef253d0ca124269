#include "generate.h"

#include <algorithm>
#include <string>

#include "common/error.h"
#include "common/not_implemented.h"
#include "common/tokenizer/utf8.h"
#include "forward.h"

namespace waitless {

Generation generate_loop(const NextToken& next_token, const Tokenizer& tokenizer, std::span<const int> prompt,
                         int context_length, int max_tokens, const OnToken& on_token) {
  // EXERCISE(1.9): check the prompt; then next token, stop or show and append, until done. Stream the text through a
  // Utf8Stream.
  // SOLUTION_BEGIN(1.9)
  if (prompt.empty()) throw InputError("the prompt is empty: give at least one token");
  if (int(prompt.size()) > context_length) {
    throw InputError("the prompt has " + std::to_string(prompt.size()) + " tokens, but the model's context holds " +
                     std::to_string(context_length));
  }
  const std::vector<int>& stop_tokens = tokenizer.stop_tokens();
  Utf8Stream text;
  std::vector<int> sequence(prompt.begin(), prompt.end());
  Generation generation;

  while (int(generation.tokens.size()) < max_tokens) {
    const int token = next_token(sequence);
    if (std::find(stop_tokens.begin(), stop_tokens.end(), token) != stop_tokens.end()) {
      generation.reason = StopReason::kStopToken;
      break;
    }
    generation.tokens.push_back(token);
    if (on_token) on_token(token, text.push(tokenizer.bytes(token)));
    if (int(sequence.size()) == context_length) {
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

Generation generate(const Model& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                    const GenerateOptions& options, const OnToken& on_token) {
  // EXERCISE(1.9): the next token of the naive way is a forward pass over the whole sequence and a sample of its last
  // logits. Run the loop with it.
  // SOLUTION_BEGIN(1.9)
  const Config& config = model.config;
  const Ops ops = naive_ops(config);
  Workspace workspace;
  std::vector<float> logits(config.vocab_size), distribution(config.vocab_size);
  Random random(options.seed);
  const NextToken next_token = [&](std::span<const int> sequence) {
    const Batch batch = Batch::causal(0, 0, int(sequence.size()));
    forward(model, sequence, batch, ops, workspace, MatrixMap(logits.data(), 1, config.vocab_size));
    return sample(logits, options.sampling, random, distribution);
  };
  return generate_loop(next_token, tokenizer, prompt, config.context_length, options.max_tokens, on_token);
  // SOLUTION_END(1.9)
}

}  // namespace waitless
