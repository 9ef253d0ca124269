#include "generate_cuda.h"

#include "common/base/error.h"
#include "kernels_cuda.h"

namespace waitless {

Generation generate_cuda(const DeviceModel& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                         const GenerateOptions& options, const OnToken& on_token, const DeviceOps& ops) {
  const Config& config = model.config;
  if (options.sampling.temperature != 0) {
    throw InputError("on the device this chapter only takes the most likely token: leave out --temperature");
  }
  require_causal(config, "generation");
  DeviceWorkspace workspace;
  DeviceBuffer<float> logits(config.vocab_size);
  DeviceBuffer<int> best_token(1);
  int token;
  const NextTokens most_likely = [&](std::span<const int> sequence) {
    const DeviceMatrix last_row{logits.data(), 1, config.vocab_size};
    forward_cuda(model, Batch::causal(0, 0, sequence), ops, workspace, last_row);
    argmax_cuda(last_row, best_token.data());
    best_token.copy_to_host({&token, 1});
    return std::span<const int>(&token, 1);
  };
  return generate_loop(most_likely, tokenizer, prompt, config.context_length, options.max_tokens, on_token);
}

}  // namespace waitless
