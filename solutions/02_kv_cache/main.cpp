// Chapter 02 as a program: text in, text out, each token computed once. --cache-validity shows when that is allowed.

#include <cstdio>
#include <string>
#include <string_view>

#include "cache_validity.h"
#include "common/cuda/device.h"
#include "common/error.h"
#include "common/run/run.h"
#include "fits_program.h"
#include "generate_cached.h"
#include "generate_cached_cuda.h"
#include "kv_bytes.h"

using namespace waitless;

namespace {

GenerateOptions options_of(const Request& request) {
  return {
      .max_tokens = request.max_tokens,
      .sampling = {.temperature = request.temperature, .top_k = request.top_k, .top_p = request.top_p},
      .seed = request.seed,
  };
}

Traffic naive(const Request& request, const ShowToken& on_token) {
  if (request.cuda) throw InputError("--compare runs on the CPU only: leave out --cuda");
  generate(request.model, request.tokenizer, request.prompt, options_of(request), on_token);
  return {.weight_bytes_per_token = request.model.bytes_per_forward()};
}

CachedGeneration generation_of(const Request& request, const ShowToken& on_token) {
  if (!request.cuda) return generate_cached(request.model, request.tokenizer, request.prompt, options_of(request), on_token);
  std::fprintf(stderr, "[device: %s]\n", device_name().c_str());
  return generate_cached_cuda(upload(request.model), request.tokenizer, request.prompt, options_of(request), on_token);
}

Traffic cached(const Request& request, const ShowToken& on_token) {
  const CachedGeneration result = generation_of(request, on_token);
  // The decode steps see prompt + 1, prompt + 2, ... tokens; this is the mean.
  const std::int64_t n_new = std::int64_t(result.generation.tokens.size()), n_prompt = std::int64_t(request.prompt.size());
  const std::int64_t seen = n_new > 1 ? n_prompt + n_new / 2 : 0;
  return {.weight_bytes_per_token = request.model.bytes_per_forward(),
          .kv_bytes_per_token = seen * kv_bytes_per_token(kv_shape(request.model.config), 32),
          .kv_memory_bytes = result.kv_memory_bytes};
}

/// Replaces the token in the middle of the prompt under three masks.
void show_cache_validity(const Request& request) {
  const int T = int(request.prompt.size()), j = T / 2, prefix_len = j + (T - j) / 2;
  const int other = (request.prompt[j] + 1) % request.model.config.vocab_size;
  const auto show = [&](const char* mask, const char* who, const Batch& batch) {
    const Matrix changed = changed_cache_rows(request.model, request.prompt, batch, j, other);
    std::printf("%s (%s). Token %d is replaced; # marks the cached rows that change:\n%sWhat was cached before token %d %s.\n\n",
                mask, who, j, cache_picture(changed).c_str(), j, is_cache_valid(changed, j) ? "stays valid" : "is wrong now");
  };
  show("causal", "decoders: GPT, Llama", Batch::causal(0, 0, T));
  show(("prefix-causal, prefix of " + std::to_string(prefix_len)).c_str(), "prefix language models", Batch::prefix_causal(0, 0, T, prefix_len));
  show("bidirectional", "encoders: BERT; a block while it is denoised", Batch::bidirectional_block(0, 0, T));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "fits") return fits_program(argc - 1, argv + 1);
  const ChapterProgram chapter{
      .name = "02_kv_cache",
      .technique = "KV cache",
      .summary = "Continues a text. Keys and values of earlier tokens are remembered: each token costs about the same.",
      .has_cuda = true,
      .baselines = {{"01", "naive generation", naive}},
      .experiments = {{"--cache-validity", "show which cached rows change when a token of the prompt does", show_cache_validity}},
  };
  return run_chapter(argc, argv, chapter, cached);
}
