#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/model/model.h"
#include "common/tokenizer/tokenizer.h"

namespace waitless {

/// What the command line asks for, with the model loaded and the prompt tokenized.
struct Request {
  Model model;  // expanded to f32
  Tokenizer tokenizer;
  std::vector<int> prompt;
  int max_tokens;
  float temperature;
  int top_k;
  float top_p;
  std::uint64_t seed;
  bool cuda;  // on the device: a GPU, or simt
};

/// Bytes that a decoded token moves through memory, and the memory that stays allocated for keys and values.
struct Traffic {
  std::int64_t weight_bytes_per_token = 0;
  std::int64_t kv_bytes_per_token = 0;
  std::int64_t kv_memory_bytes = 0;
};

/// Shows `text` at once; `token` is -1 for text that came without one.
using ShowToken = std::function<void(int token, std::string_view text)>;

/// Continues request.prompt and calls the function it is given for each new token.
using Generate = std::function<Traffic(const Request& request, const ShowToken& on_token)>;

/// An earlier technique, which --compare runs on the same request.
struct Baseline {
  const char* chapter;  // "01"
  const char* technique;
  Generate generate;
};

/// Something else that a program can do with a model and a prompt: an option that takes the place of generating.
struct Experiment {
  const char* option;  // "--cache-validity"
  const char* help;
  std::function<void(const Request& request)> run;
};

/// What a chapter's program says of itself.
struct ChapterProgram {
  const char* name;       // "01_naive_generation"
  const char* technique;  // its line in the ladder
  const char* summary;    // for --help
  bool has_cuda = false;  // offers --cuda
  std::vector<Baseline> baselines = {};
  std::vector<Experiment> experiments = {};
};

/// The main function of every chapter that generates text: reads the options, loads the model, streams the text to
/// standard output as it comes, and then prints what it took (time to first token, time per output token and its median
/// and 99th percentile, bytes moved, share of this machine's bandwidth) to standard error, or with --record also as
/// JSON to a file. With --compare an earlier technique runs first and the ratios are printed as well.
/// @return the exit status; every error is one sentence on standard error
int run_chapter(int argc, char** argv, const ChapterProgram& chapter, const Generate& generate);

}  // namespace waitless
