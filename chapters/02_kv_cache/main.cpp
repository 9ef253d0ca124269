// Chapter 02 as a program: text in, text out, each token computed once. --cache-validity shows when that is allowed,
// --low-rank-kv what a smaller cache would cost.

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "cache_validity.h"
#include "common/cuda/device.h"
#include "common/error.h"
#include "common/run/models.h"
#include "common/run/run.h"
#include "generate_cached.h"
#include "generate_cached_cuda.h"
#include "kv_bytes.h"
#include "low_rank_kv.h"
#include "perplexity.h"
#include "print_bill.h"

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
  if (!request.cuda)
    return generate_cached(request.model, request.tokenizer, request.prompt, options_of(request), on_token);
  std::fprintf(stderr, "[device: %s]\n", device_name().c_str());
  return generate_cached_cuda(upload(request.model), request.tokenizer, request.prompt, options_of(request), on_token);
}

Traffic cached(const Request& request, const ShowToken& on_token) {
  const CachedGeneration result = generation_of(request, on_token);
  // The decode steps see prompt + 1, prompt + 2, ... tokens; this is the mean.
  const std::int64_t n_new = std::int64_t(result.generation.tokens.size()),
                     n_prompt = std::int64_t(request.prompt.size());
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
    std::printf(
        "%s (%s). Token %d is replaced; # marks the cached rows that change:\n%sWhat was cached before token %d "
        "%s.\n\n",
        mask, who, j, cache_picture(changed).c_str(), j, is_cache_valid(changed, j) ? "stays valid" : "is wrong now");
  };
  show("causal", "decoders: GPT, Llama", Batch::causal(0, 0, T));
  show(("prefix-causal, prefix of " + std::to_string(prefix_len)).c_str(), "prefix language models",
       Batch::prefix_causal(0, 0, T, prefix_len));
  show("bidirectional", "encoders: BERT; a block while it is denoised", Batch::bidirectional_block(0, 0, T));
}

/// Squeezes keys and values through ever smaller latents and lets the model read a text that neither it nor they have
/// seen.
void show_low_rank_kv(const Request& request) {
  const Model& model = request.model;
  const std::vector<int> text = request.tokenizer.encode(read_course_text("austen-validation"));
  const int window = std::min(512, model.config.context_length), n_windows = 16;
  const auto directions_from = std::span(text).first(window),
             rest = std::span(text).subspan(window, n_windows * window);
  const int full = 2 * int(model.config.kv_dim());
  std::printf(
      "Perplexity of datasets/text/austen-validation.txt, %d windows of %d tokens; directions from the window before "
      "them.\n\n",
      n_windows, window);
  std::printf("%-22s %20s %11s\n", "kept for a layer", "bytes a token, f32", "perplexity");
  const auto line = [&](const std::string& kept, std::int64_t bytes, const Model& m) {
    std::printf("%-22s %20lld %11.3f\n", kept.c_str(), (long long)bytes, perplexity(m, rest, window));
    std::fflush(stdout);
  };
  line("keys and values: " + std::to_string(full), kv_bytes_per_token(kv_shape(model.config), 32), model);
  for (const int eighths : {8, 7, 6, 5, 4, 3, 2, 1}) {
    const int rank = full * eighths / 8;
    line("latent of " + std::to_string(rank),
         kv_bytes_per_token({.n_layers = model.config.n_layers, .latent_dim = rank}, 32),
         with_low_rank_kv(model, directions_from, rank));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "fits") return run_fits(argc - 1, argv + 1, print_bill);
  const ChapterProgram chapter{
      .name = "02_kv_cache",
      .technique = "KV cache",
      .summary = "Continues a text. Keys and values of earlier tokens are remembered: each token costs about the same.",
      .has_cuda = true,
      .baselines = {{"01", "naive generation", naive}},
      .experiments = {{"--cache-validity", "show which cached rows change when a token of the prompt does",
                       show_cache_validity},
                      {"--low-rank-kv",
                       "show what a smaller cache, a latent in place of keys and values, costs in perplexity",
                       show_low_rank_kv}},
  };
  return run_chapter(argc, argv, chapter, cached);
}
