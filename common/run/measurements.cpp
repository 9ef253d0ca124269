#include "common/run/measurements.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/hardware/measure.h"
#include "common/run/interrupt.h"

namespace waitless {
namespace {

#if defined(WAITLESS_GPU)
constexpr const char* kDevice = "cuda";
#else
constexpr const char* kDevice = "simt";
#endif

template <class... Values>
std::string formatted(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

/// New tokens of all requests in a second, from the first request to the last token.
double throughput(std::span<const RequestLog> logs) {
  double first = 1e300, last = 0, n_tokens = 0;
  for (const RequestLog& log : logs) {
    if (log.events.empty()) continue;
    first = std::min(first, log.start);
    last = std::max(last, log.events.back().time);
    n_tokens += double(log.tokens.size());
  }
  return last > first ? n_tokens / (last - first) : 0;
}

}  // namespace

Measurements measure(const std::string& chapter, const std::string& technique, const Session& session,
                     const GenerationReport& report, std::span<const RequestLog> logs) {
  Measurements m{.chapter = chapter,
                 .technique = technique,
                 .backend = session.cuda ? kDevice : "cpu",
                 .model = session.model.config.name,
                 .n_prompts = int(session.prompts.size()),
                 .memory = report.memory,
                 .is_interrupted = is_interrupted()};
  std::vector<Latency> latencies = report.latencies;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    m.prompt_tokens += int(session.prompts[i].tokens.size());
    m.new_tokens += int(logs[i].tokens.size());
    if (report.latencies.empty() && !logs[i].events.empty())
      latencies.push_back(latency(logs[i].start, logs[i].events));
  }
  m.latency = mean(latencies);
  m.tokens_per_s = logs.size() > 1 ? throughput(logs) : m.latency.tpot > 0 ? 1 / m.latency.tpot : 0;

  if (session.cuda) return m;  // this machine's memory says nothing about a device's
  m.read_bandwidth = measure_machine().read_bandwidth;
  m.cache_bytes = last_level_cache_bytes();
  m.fits_cache = double(session.model.bytes_per_forward() + m.memory.kv_bytes_allocated) <= m.cache_bytes;
  m.bandwidth_share = double(m.memory.weight_bytes_read + m.memory.kv_bytes_read) * m.tokens_per_s / m.read_bandwidth;
  return m;
}

std::string summary_of(const Measurements& m) {
  std::string text = formatted("%s on %s: ", m.technique.c_str(), m.backend.c_str());
  if (m.is_interrupted) text += "interrupted, ";
  if (m.n_prompts > 1) text += formatted("%d prompts, ", m.n_prompts);
  text += formatted("%d + %d tokens, %sTTFT %.1f ms, TPOT %.2f ms (gaps: p50 %.2f, p99 %.2f), %.1f tokens/s",
                    m.prompt_tokens, m.new_tokens, m.n_prompts > 1 ? "on average " : "", m.latency.ttft * 1e3,
                    m.latency.tpot * 1e3, m.latency.itl_p50 * 1e3, m.latency.itl_p99 * 1e3, m.tokens_per_s);
  text += formatted(", %.1f MB of weights and %.1f MB of KV read per token", double(m.memory.weight_bytes_read) / 1e6,
                    double(m.memory.kv_bytes_read) / 1e6);
  if (m.fits_cache)
    text += formatted(" at %.1f GB/s, from a cache of %.0f MB (memory gives %.1f GB/s)",
                      m.bandwidth_share * m.read_bandwidth / 1e9, m.cache_bytes / 1e6, m.read_bandwidth / 1e9);
  else if (m.read_bandwidth > 0)
    text += formatted(", %.0f %% of the %.1f GB/s that memory gives", m.bandwidth_share * 100, m.read_bandwidth / 1e9);
  if (m.memory.kv_bytes_allocated > 0)
    text += formatted(", KV memory %.1f MB", double(m.memory.kv_bytes_allocated) / 1e6);
  return "[" + text + "]";
}

std::string comparison_of(const Measurements& baseline, const Measurements& own, bool has_same_tokens) {
  const auto ratio = [](double slow, double fast) { return fast > 0 ? slow / fast : 0; };
  return formatted("[%s against %s: TTFT %.2f times as fast, TPOT %.2f times as fast; %s tokens]",
                   own.technique.c_str(), baseline.technique.c_str(), ratio(baseline.latency.ttft, own.latency.ttft),
                   ratio(baseline.latency.tpot, own.latency.tpot), has_same_tokens ? "the same" : "different");
}

std::string to_json(const Measurements& m) {
  const nlohmann::ordered_json record = {
      {"chapter", m.chapter},
      {"technique", m.technique},
      {"backend", m.backend},
      {"model", m.model},
      {"prompts", m.n_prompts},
      {"prompt_tokens", m.prompt_tokens},
      {"new_tokens", m.new_tokens},
      {"ttft_s", m.latency.ttft},
      {"tpot_s", m.latency.tpot},
      {"itl_p50_s", m.latency.itl_p50},
      {"itl_p99_s", m.latency.itl_p99},
      {"tokens_per_s", m.tokens_per_s},
      {"weight_bytes_read", m.memory.weight_bytes_read},
      {"kv_bytes_read", m.memory.kv_bytes_read},
      {"kv_bytes_allocated", m.memory.kv_bytes_allocated},
      {"read_bandwidth", m.read_bandwidth},
      {"cache_bytes", m.cache_bytes},
      {"fits_cache", m.fits_cache},
      {"bandwidth_share", m.bandwidth_share},
  };
  return record.dump(2);
}

std::string describe(const ChapterProgram& program) {
  nlohmann::ordered_json verbs = nlohmann::ordered_json::array();
  for (const Verb& verb : program.verbs) verbs.push_back({{"name", verb.name}, {"summary", verb.summary}});
  const nlohmann::ordered_json description = {
      {"name", program.name},
      {"technique", program.technique},
      {"generates_text", bool(program.generate)},
      {"has_cuda", bool(program.device_name)},
      {"verbs", verbs},
  };
  return description.dump(2);
}

}  // namespace waitless
