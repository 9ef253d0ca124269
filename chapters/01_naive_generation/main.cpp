// Chapter 01 as a program: text in, text out, everything recomputed for each token.

#include <span>
#include <string>

#include "common/cuda/device.h"
#include "common/run/program.h"
#include "generate.h"
#include "generate_cuda.h"
#include "tiled_attention.h"

using namespace waitless;

namespace {

// Your own attention, where this program is built on your exercises.
#if defined(WAITLESS_STARTER)
std::string attention_name = "simple";
#else
std::string attention_name = "tiled";
#endif

GenerationReport naive(const Session& session, std::span<const int> prompt, const ShowToken& show) {
  if (session.cuda)
    generate_cuda(upload(session.model), session.tokenizer, prompt, session.options, show);
  else
    generate(session.model, session.tokenizer, prompt, session.options, show,
             attention_name == "simple" ? naive_ops() : tiled_ops());
  // Each token reads every weight once. Keys and values are recomputed in the caches of the processor.
  return {.memory = {.weight_bytes_read = session.model.bytes_per_forward()}};
}

}  // namespace

int main(int argc, char** argv) {
  const ChapterProgram program{
      .name = "01_naive_generation",
      .technique = "naive generation",
      .summary = "Continues a text. Every token recomputes the whole sequence: watch it slow down.",
      .generate = one_after_another(naive),
      .device_name = device_name,
      .add_options =
          [](ProgramOptions& options) {
            options.choice("--attention", attention_name, {"simple", "tiled"},
                           "the loop of exercise 1.5, or the same in tiles, made for speed");
          },
  };
  return run_program(argc, argv, program);
}
