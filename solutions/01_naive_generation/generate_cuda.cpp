#include "generate_cuda.h"

#include "common/error.h"
#include "forward_cuda.h"
#include "operators_cuda.h"

namespace waitless {

Generation generate_cuda(const DeviceModel& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                         const GenerateOptions& options, const OnToken& on_token) {
  const Config& config = model.config;
  if (options.sampling.temperature != 0) {
    throw InputError("on the device this chapter only takes the most likely token: leave out --temperature");
  }
  const DeviceOps ops = naive_device_ops(config);
  DeviceWorkspace workspace;
  DeviceBuffer<float> logits(config.vocab_size);
  DeviceBuffer<int> best_token(1);
  const auto most_likely = [&](std::span<const int> tokens) {
    const DeviceMatrix last_row{logits.data(), 1, config.vocab_size};
    forward_cuda(model, tokens, Batch::causal(0, 0, int(tokens.size())), ops, workspace, last_row);
    argmax_cuda(last_row, best_token.data());
    return best_token.to_host()[0];
  };
  return generate_loop(most_likely, tokenizer, prompt, config.context_length, options.max_tokens, on_token);
}

}  // namespace waitless
