#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/run/latency.h"
#include "common/run/listener.h"
#include "common/run/options.h"
#include "common/run/session.h"

namespace waitless {

/// What a generation does with memory: the bytes that one decoded token reads, and what stays allocated.
struct MemoryUse {
  std::int64_t weight_bytes_read = 0;
  std::int64_t kv_bytes_read = 0;
  std::int64_t kv_bytes_allocated = 0;
};

/// What a generation says of itself.
struct GenerationReport {
  MemoryUse memory = {};
  /// [n_prompts], or those that were begun: as the chapter measured them. Empty: as its listener did.
  std::vector<Latency> latencies = {};
};

/// Continues the prompts of a session and tells the listener of each new token. It stops when the listener says so.
using Generate = std::function<GenerationReport(const Session& session, Listener& listener)>;

/// Continues one prompt; `show` is called for each new token.
using GenerateOne =
    std::function<GenerationReport(const Session& session, std::span<const int> prompt, const ShowToken& show)>;

/// A Generate that takes the prompts one after another. The bytes read are the mean, the memory that of the largest.
Generate one_after_another(GenerateOne generate);

/// An earlier technique, which --compare runs on the same session.
struct Baseline {
  std::string chapter;  // "01"
  std::string technique;
  Generate generate;
};

/// Something else that a program can do with a session: an option that takes the place of generating.
struct Experiment {
  std::string option;  // "--cache-validity"
  std::string help;
  std::function<void(const Session& session)> run;
};

/// Something else that a program can do without a session: a command of its own, ./course NAME. It is declared in
/// tests/NN_name/verbs.csv as well, so that ./course knows it before the program is built.
struct Verb {
  std::string name;
  std::string summary;
  std::string example = {};  // arguments worth trying
  std::function<void(ProgramOptions& options)> add_options = {};
  std::function<void()> run;
};

/// A chapter's program. What a chapter adds, it keeps in variables of its own, which its options fill and its functions
/// read.
struct ChapterProgram {
  std::string name;       // "01_naive_generation"
  std::string technique;  // its line in the ladder
  std::string summary;    // for --help
  /// Nothing if the program generates no text; then the first of its verbs is what it does.
  Generate generate = {};
  /// The device of --cuda, for people. Nothing if it generates on the CPU only.
  std::function<std::string()> device_name = {};
  /// How the model's file is read, and what becomes of its matrices. Called after the options were read, on which it
  /// may depend.
  LoadOptions load = {};
  std::function<void(ProgramOptions& options)> add_options = {};
  std::vector<Baseline> baselines = {};
  std::vector<Experiment> experiments = {};
  std::vector<Verb> verbs = {};
};

/// The main function of every chapter: reads the options, loads the models, streams the text to standard output as it
/// comes, and then prints to standard error what it took (time to first token, time per output token, median and 99th
/// percentile of the gaps, bytes read, share of this machine's bandwidth), with --record also as JSON to a file. With
/// --compare an earlier technique runs first and the ratios are printed as well. A few tokens are generated unseen
/// beforehand, so that no time holds the start of threads. Ctrl-C ends the text; what it took is printed all the same.
///
/// The argument --describe prints what the program can do as JSON: its technique, its verbs, whether it generates text
/// and whether it takes --cuda.
/// @return the exit status, 130 after Ctrl-C; every error is one sentence on standard error
int run_program(int argc, const char* const* argv, const ChapterProgram& program);

}  // namespace waitless
