#pragma once

#include <span>
#include <string>

#include "common/run/program.h"

namespace waitless {

/// What a generation took.
struct Measurements {
  std::string chapter = {}, technique = {}, backend = {}, model = {};
  int n_prompts = 0, prompt_tokens = 0, new_tokens = 0;
  Latency latency = {};     // the mean over the prompts
  double tokens_per_s = 0;  // of one prompt: 1 / TPOT; of several: all new tokens in the time that all of them took
  MemoryUse memory = {};
  double read_bandwidth = 0;   // of this machine, bytes per second; 0: not measured
  double cache_bytes = 0;      // of its last-level cache; 0: unknown
  bool fits_cache = false;     // model and KV together: tokens then need not wait for memory
  double bandwidth_share = 0;  // of read_bandwidth that the bytes read for each token make up
  bool is_interrupted = false;
};

/// Measures this machine's bandwidth as well if the generation ran on it, which takes about half a second.
Measurements measure(const std::string& chapter, const std::string& technique, const Session& session,
                     const GenerationReport& report, std::span<const RequestLog> logs);

/// One line: "[KV cache on cpu: 7 + 48 tokens, TTFT 1.9 ms, ...]"
std::string summary_of(const Measurements& m);

/// One line: how many times as fast `own` is.
std::string comparison_of(const Measurements& baseline, const Measurements& own, bool has_same_tokens);

std::string to_json(const Measurements& m);

/// What --describe prints.
std::string describe(const ChapterProgram& program);

}  // namespace waitless
