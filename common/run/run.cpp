#include "common/run/run.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/hardware/measure.h"
#include "common/model/gguf.h"
#include "common/run/models.h"
#include "common/run/run_options.h"
#include "common/tokenizer/utf8.h"

namespace waitless {
namespace {

using Clock = std::chrono::steady_clock;

#if defined(WAITLESS_GPU)
constexpr const char* kDevice = "cuda";
#else
constexpr const char* kDevice = "simt";
#endif

void check_text(const std::string& text) {
  if (text.empty()) throw InputError("the prompt is empty: give --prompt some text");
  const std::size_t bad = find_invalid_utf8(text);
  if (bad != std::string::npos) {
    throw InputError("the prompt is not valid UTF-8: its byte " + std::to_string(bad) + " cannot stand there");
  }
}

Request load_request(const RunOptions& options) {
  const std::string& text = options.chat.empty() ? options.prompt : options.chat;
  check_text(text);
  const GgufFile file = GgufFile::open(find_model(options.model));
  const Tokenizer tokenizer = Tokenizer::from_gguf(file);
  return {
      .model = load_model(file),
      .tokenizer = tokenizer,
      .prompt = options.chat.empty() ? tokenizer.encode_prompt(text) : tokenizer.encode_chat(text),
      .max_tokens = options.max_tokens,
      .temperature = options.temperature,
      .top_k = options.top_k,
      .top_p = options.top_p,
      .seed = options.seed,
      .cuda = options.cuda,
  };
}

/// What came of one generation and when.
struct Run {
  std::string technique;
  Traffic traffic;
  Clock::time_point start;
  std::vector<Clock::time_point> token_times;
  std::vector<int> tokens;
};

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) != 0) throw InputError(std::string("cannot write the text: ") + std::strerror(errno));
}

Run run(const std::string& technique, const Generate& generate, const Request& request, const RunOptions& options) {
  Run result;
  result.technique = technique;
  if (options.chat.empty()) print(options.prompt);
  const auto show = [&](int token, std::string_view text) {
    if (token >= 0) {
      result.token_times.push_back(Clock::now());
      result.tokens.push_back(token);
    }
    print(text);
  };
  result.start = Clock::now();
  result.traffic = generate(request, show);
  print("\n");
  return result;
}

/// The nearest-rank percentile of ascending values; 0 if there are none.
double percentile(const std::vector<double>& ascending, int p) {
  if (ascending.empty()) return 0;
  return ascending[(ascending.size() * std::size_t(p) + 99) / 100 - 1];
}

/// The measurements of one generation, under the names of the record.
nlohmann::ordered_json measurements(const ChapterProgram& chapter, const Request& request, const Run& run,
                                    double bandwidth) {
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  const std::size_t n = run.token_times.size();
  std::vector<double> gaps;  // between neighbouring tokens
  for (std::size_t i = 1; i < n; ++i) gaps.push_back(seconds(run.token_times[i] - run.token_times[i - 1]));
  std::sort(gaps.begin(), gaps.end());
  const double ttft = n > 0 ? seconds(run.token_times.front() - run.start) : 0;
  const double tpot = n > 1 ? seconds(run.token_times.back() - run.token_times.front()) / double(n - 1) : 0;
  const double moved = double(run.traffic.weight_bytes_per_token + run.traffic.kv_bytes_per_token);
  return {
      {"chapter", chapter.name},
      {"technique", run.technique},
      {"backend", request.cuda ? kDevice : "cpu"},
      {"model", request.model.config.name},
      {"prompt_tokens", request.prompt.size()},
      {"new_tokens", n},
      {"ttft_s", ttft},
      {"tpot_s", tpot},
      {"itl_p50_s", percentile(gaps, 50)},
      {"itl_p99_s", percentile(gaps, 99)},
      {"tokens_per_s", tpot > 0 ? 1 / tpot : 0},
      {"weight_bytes_per_token", run.traffic.weight_bytes_per_token},
      {"kv_bytes_per_token", run.traffic.kv_bytes_per_token},
      {"read_bandwidth", bandwidth},
      {"bandwidth_share", tpot > 0 ? moved / tpot / bandwidth : 0},
      {"kv_memory_bytes", run.traffic.kv_memory_bytes},
  };
}

void print_summary(const nlohmann::ordered_json& m) {
  const auto number = [&](const char* key) { return m.at(key).get<double>(); };
  std::fprintf(
      stderr,
      "\n[%s on %s: %d + %d tokens, TTFT %.1f ms, TPOT %.2f ms (p50 %.2f, p99 %.2f), %.1f tokens/s, %.1f MB of "
      "weights and %.1f MB of KV moved per token, %.0f %% of %.1f GB/s",
      m.at("technique").get<std::string>().c_str(), m.at("backend").get<std::string>().c_str(),
      int(number("prompt_tokens")), int(number("new_tokens")), number("ttft_s") * 1e3, number("tpot_s") * 1e3,
      number("itl_p50_s") * 1e3, number("itl_p99_s") * 1e3, number("tokens_per_s"),
      number("weight_bytes_per_token") / 1e6, number("kv_bytes_per_token") / 1e6, number("bandwidth_share") * 100,
      number("read_bandwidth") / 1e9);
  if (number("kv_memory_bytes") > 0) std::fprintf(stderr, ", KV memory %.1f MB", number("kv_memory_bytes") / 1e6);
  std::fprintf(stderr, "]\n");
}

void print_comparison(const nlohmann::ordered_json& baseline, const nlohmann::ordered_json& own, bool same_tokens) {
  const auto ratio = [&](const char* key) {
    const double divisor = own.at(key).get<double>();
    return divisor > 0 ? baseline.at(key).get<double>() / divisor : 0;
  };
  std::fprintf(stderr, "[%s against %s: TTFT %.2f times as fast, TPOT %.2f times as fast; %s tokens]\n",
               own.at("technique").get<std::string>().c_str(), baseline.at("technique").get<std::string>().c_str(),
               ratio("ttft_s"), ratio("tpot_s"), same_tokens ? "the same" : "different");
}

void write_record(const std::filesystem::path& path, const nlohmann::ordered_json& record) {
  std::ofstream file(path);
  file << record.dump(2) << '\n';
  if (!file.flush()) throw InputError("cannot write the record to " + path.string());
}

}  // namespace

int run_chapter(int argc, char** argv, const ChapterProgram& chapter, const Generate& generate) {
  return run_with_options(argc, argv, chapter, [&](const RunOptions& options) {
    if (!options.record.empty()) write_record(options.record, {});  // fails now rather than after the work
    const Request request = load_request(options);
    for (const Experiment& experiment : chapter.experiments) {
      if (experiment.option == options.experiment) return experiment.run(request);
    }

    std::vector<Run> runs;
    for (const Baseline& baseline : chapter.baselines) {
      if (baseline.chapter == options.compare)
        runs.push_back(run(baseline.technique, baseline.generate, request, options));
    }
    runs.push_back(run(chapter.technique, generate, request, options));

    std::vector<nlohmann::ordered_json> records;
    const double bandwidth = measure_machine().read_bandwidth;
    for (const Run& it : runs) {
      records.push_back(measurements(chapter, request, it, bandwidth));
      print_summary(records.back());
    }
    if (runs.size() == 2) print_comparison(records[0], records[1], runs[0].tokens == runs[1].tokens);
    if (!options.record.empty()) write_record(options.record, records.back());
  });
}

}  // namespace waitless
