// Chapter 02 as a program: text in, text out, each token computed once. --cache-validity shows when that is allowed,
// --low-rank-kv what a smaller cache would cost.

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "01_naive_generation/tiled_attention.h"
#include "cache_validity.h"
#include "common/base/error.h"
#include "common/cuda/device.h"
#include "common/model/find_model.h"
#include "common/run/program.h"
#include "fits.h"
#include "generate_cached.h"
#include "generate_cached_cuda.h"
#include "kv_bytes.h"
#include "low_rank_kv.h"
#include "perplexity.h"

using namespace waitless;

namespace {

// Your own attention, where this program is built on your exercises.
#if defined(WAITLESS_STARTER)
std::string attention_name = "simple";
#else
std::string attention_name = "tiled";
#endif

Ops chosen_ops(KvCache& cache) { return attention_name == "simple" ? cached_ops(cache) : tiled_cached_ops(cache); }

GenerationReport naive(const Session& session, std::span<const int> prompt, const ShowToken& show) {
  if (session.cuda) throw InputError("--compare runs on the CPU only: leave out --cuda");
  generate(session.model, session.tokenizer, prompt, session.options, show, tiled_ops());
  return {.memory = {.weight_bytes_read = session.model.bytes_per_forward()}};
}

/// Times as exercise 2.7 understands them.
Latency latency_of(const Timings& t) {
  return {.ttft = t.ttft,
          .tpot = t.tpot,
          .itl_p50 = t.itl.empty() ? 0 : percentile(t.itl, 50),
          .itl_p99 = t.itl.empty() ? 0 : percentile(t.itl, 99)};
}

GenerationReport cached(const Session& session, std::span<const int> prompt, const ShowToken& show) {
  const CachedGeneration result =
      session.cuda ? generate_cached_cuda(upload(session.model), session.tokenizer, prompt, session.options, show)
                   : generate_cached(session.model, session.tokenizer, prompt, session.options, show, steady_clock(),
                                     chosen_ops);
  // The decode steps see prompt + 1, prompt + 2, ... tokens; this is the mean.
  const std::int64_t n_new = std::int64_t(result.generation.tokens.size()), n_prompt = std::int64_t(prompt.size());
  const std::int64_t seen = n_new > 1 ? n_prompt + n_new / 2 : 0;
  return {.memory = {.weight_bytes_read = session.model.bytes_per_forward(),
                     .kv_bytes_read = seen * kv_bytes_per_token(kv_shape(session.model.config), 32),
                     .kv_bytes_allocated = result.kv_memory_bytes},
          .latencies = {latency_of(result.timings)}};
}

/// Replaces the token in the middle of the prompt under three masks.
void show_cache_validity(const Session& session) {
  const std::vector<int>& prompt = session.prompts[0].tokens;
  const int T = int(prompt.size()), j = T / 2, prefix_len = j + (T - j) / 2;
  const int other = (prompt[j] + 1) % session.model.config.vocab_size;
  const auto show = [&](const char* mask, const char* who, const Batch& batch) {
    const Matrix changed = changed_cache_rows(session.model, prompt, batch, j, other);
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
void show_low_rank_kv(const Session& session) {
  const Model& model = session.model;
  const std::vector<int> text = session.tokenizer.encode(read_course_text("austen-validation"));
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

/// ./course fits
Verb fits_verb() {
  static FitsOptions options;
  const auto add_options = [](ProgramOptions& program) {
    constexpr std::int64_t kMany = 1'000'000'000;
    program.text("--model", options.model, "a name in datasets/model_shapes.csv, austen, smollm2, or a .gguf file");
    program.whole_number("--context", options.context, 1, kMany, "tokens of each sequence");
    program.whole_number("--batch", options.batch, 1, kMany, "sequences at a time");
    program.text("--device", options.device, "a name in datasets/hardware.csv, or a number of GiB");
    program.whole_number("--weight-bits", options.weight_bits, 1, 64, "of each weight");
    program.whole_number("--kv-bits", options.kv_bits, 1, 64, "of each element of the cache");
  };
  return {.name = "fits",
          .summary = "what a model and its KV cache take of a device's memory",
          .example = "--model Llama-3.1-8B --context 8192 --batch 16 --device H100-SXM",
          .add_options = add_options,
          .run = [] { print_fits(options); }};
}

}  // namespace

int main(int argc, char** argv) {
  const ChapterProgram program{
      .name = "02_kv_cache",
      .technique = "KV cache",
      .summary = "Continues a text. Keys and values of earlier tokens are remembered: each token costs about the same.",
      .generate = one_after_another(cached),
      .device_name = device_name,
      .baselines = {{"01", "naive generation", one_after_another(naive)}},
      .experiments = {{"--cache-validity", "show which cached rows change when a token of the prompt does",
                       show_cache_validity},
                      {"--low-rank-kv",
                       "show what a smaller cache, a latent in place of keys and values, costs in perplexity",
                       show_low_rank_kv}},
      .verbs = {fits_verb()},
  };
  return run_program(argc, argv, program);
}
