// Chapter 01 as a program: text in, text out, everything recomputed for each token.

#include <cstdio>

#include "common/cuda/device.h"
#include "common/run/run.h"
#include "generate.h"
#include "generate_cuda.h"

using namespace waitless;

int main(int argc, char** argv) {
  const ChapterProgram chapter{
      .name = "01_naive_generation",
      .technique = "naive generation",
      .summary = "Continues a text. Every token recomputes the whole sequence: watch it slow down.",
      .has_cuda = true,
  };
  return run_chapter(argc, argv, chapter, [](const Request& request, const OnToken& on_token) {
    const GenerateOptions options{
        .max_tokens = request.max_tokens,
        .sampling = {.temperature = request.temperature, .top_k = request.top_k, .top_p = request.top_p},
        .seed = request.seed,
    };
    if (request.cuda) {
      std::fprintf(stderr, "[device: %s]\n", device_name().c_str());
      generate_cuda(upload(request.model), request.tokenizer, request.prompt, options, on_token);
    } else {
      generate(request.model, request.tokenizer, request.prompt, options, on_token);
    }
    // Each token reads every weight once. Keys and values are recomputed in the caches of the processor.
    return Traffic{.weight_bytes_per_token = request.model.bytes_per_forward()};
  });
}
