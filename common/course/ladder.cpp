#include "common/course/ladder.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/course/terminal.h"
#include "common/error.h"

namespace waitless::course {
namespace {

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string milliseconds(double seconds) { return formatted(seconds < 0.1 ? "%.1f ms" : "%.0f ms", seconds * 1e3); }

}  // namespace

LadderStep parse_record(std::string_view json, const std::string& name) {
  const auto record = nlohmann::json::parse(json, nullptr, false);
  const auto number = [&](const char* key) {
    if (!record.is_object() || !record.contains(key) || !record[key].is_number())
      throw InputError(name + ": has no number " + key);
    return record[key].get<double>();
  };
  LadderStep step{.technique = record.is_object() ? record.value("technique", "") : "",
                  .backend = record.is_object() ? record.value("backend", "") : "",
                  .ttft_s = number("ttft_s"),
                  .tpot_s = number("tpot_s"),
                  .tokens_per_s = number("tokens_per_s"),
                  .weight_bytes_per_token = number("weight_bytes_per_token"),
                  .kv_bytes_per_token = number("kv_bytes_per_token"),
                  .bandwidth_share = number("bandwidth_share"),
                  .kv_memory_bytes = number("kv_memory_bytes")};
  if (step.technique.empty() || step.backend.empty()) throw InputError(name + ": has no technique or no backend");
  return step;
}

std::string ladder_table(const std::vector<LadderStep>& steps) {
  std::vector<std::vector<std::string>> rows = {
      {"technique", "on", "TTFT", "TPOT", "tokens/s", "weights/token", "KV/token", "of bandwidth", "KV memory"}};
  for (const LadderStep& step : steps) {
    rows.push_back({step.technique, step.backend, milliseconds(step.ttft_s), milliseconds(step.tpot_s),
                    formatted("%.1f", step.tokens_per_s), bytes_text(step.weight_bytes_per_token),
                    bytes_text(step.kv_bytes_per_token), formatted("%.0f %%", step.bandwidth_share * 100),
                    bytes_text(step.kv_memory_bytes)});
  }
  return table(rows, {2, 3, 4, 5, 6, 7, 8});
}

}  // namespace waitless::course
