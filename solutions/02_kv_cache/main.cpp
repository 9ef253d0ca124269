// Chapter 02 as a program: text in, text out, each token computed once.

#include "common/run/run.h"
#include "generate_cached.h"

using namespace waitless;

int main(int argc, char** argv) {
  const ChapterProgram chapter{
      .name = "02_kv_cache",
      .technique = "KV cache",
      .summary = "Continues a text. Keys and values of earlier tokens are remembered: each token costs about the same.",
  };
  return run_chapter(argc, argv, chapter, [](const Request& request, const OnToken& on_token) {
    const GenerateOptions options{
        .max_tokens = request.max_tokens,
        .sampling = {.temperature = request.temperature, .top_k = request.top_k, .top_p = request.top_p},
        .seed = request.seed,
    };
    const CachedGeneration result = generate_cached(request.model, request.tokenizer, request.prompt, options, on_token);
    return Traffic{.weight_bytes_per_token = request.model.bytes_per_forward(),
                   .kv_memory_bytes = result.kv_memory_bytes};
  });
}
