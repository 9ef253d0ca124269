#include "common/course/verbs/ladder.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/base/error.h"
#include "common/course/system/terminal.h"

namespace waitless::course {
namespace {

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string milliseconds(double seconds) { return formatted(seconds < 0.1 ? "%.1f ms" : "%.0f ms", seconds * 1e3); }

/// What a step reaches of the memory's bandwidth. A model in the processor's cache does not wait for memory, and what
/// runs elsewhere does not wait for this one.
std::string bandwidth_text(const LadderStep& step) {
  if (step.backend != "cpu") return "-";
  if (step.fits_cache) return "in cache";
  return formatted("%.0f %%", step.bandwidth_share * 100);
}

}  // namespace

ProgramDescription parse_description(std::string_view json, const std::string& name) {
  const auto description = nlohmann::json::parse(json, nullptr, false);
  try {
    return {.technique = description.at("technique").get<std::string>(),
            .generates_text = description.at("generates_text").get<bool>(),
            .has_cuda = description.at("has_cuda").get<bool>()};
  } catch (const nlohmann::json::exception&) {
    throw InputError(name + ": does not describe itself: it needs technique, generates_text and has_cuda");
  }
}

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
                  .weight_bytes_read = number("weight_bytes_read"),
                  .kv_bytes_read = number("kv_bytes_read"),
                  .bandwidth_share = number("bandwidth_share"),
                  .fits_cache = record.value("fits_cache", false),
                  .kv_bytes_allocated = number("kv_bytes_allocated")};
  if (step.technique.empty() || step.backend.empty()) throw InputError(name + ": has no technique or no backend");
  return step;
}

std::string ladder_table(const std::vector<LadderStep>& steps) {
  std::vector<std::vector<std::string>> rows = {
      {"technique", "on", "TTFT", "TPOT", "tokens/s", "weights/token", "KV/token", "of bandwidth", "KV memory"}};
  for (const LadderStep& step : steps) {
    rows.push_back({step.technique, step.backend, milliseconds(step.ttft_s), milliseconds(step.tpot_s),
                    formatted("%.1f", step.tokens_per_s), bytes_text(step.weight_bytes_read),
                    bytes_text(step.kv_bytes_read), bandwidth_text(step), bytes_text(step.kv_bytes_allocated)});
  }
  std::string text =
      table(rows, {2, 3, 4, 5, 6, 7, 8}) +
      "\nTTFT: time to the first token. TPOT: time per output token. Weights and KV: bytes read for each "
      "token.\nOf bandwidth: the part of what this machine's memory gives.";
  const auto has = [&](const auto& property) { return std::any_of(steps.begin(), steps.end(), property); };
  if (has([](const LadderStep& step) { return step.fits_cache; }))
    text +=
        " In cache: model and KV fit the processor's\nlast-level cache, so the memory's bandwidth is no measure "
        "for them.";
  if (has([](const LadderStep& step) { return step.backend == "simt"; }))
    text += "\nsimt runs CUDA threads on this CPU: its times say nothing about a GPU.";
  return text + "\n";
}

}  // namespace waitless::course
