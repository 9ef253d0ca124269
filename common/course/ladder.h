#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace waitless::course {

/// What a chapter's program measured of one generation (its --record).
struct LadderStep {
  std::string technique, backend;
  double ttft_s = 0, tpot_s = 0, tokens_per_s = 0;
  double weight_bytes_per_token = 0, kv_bytes_per_token = 0;
  double bandwidth_share = 0;
  double kv_memory_bytes = 0;
};

/// @throws InputError "<name>: ..." if the record lacks a number
LadderStep parse_record(std::string_view json, const std::string& name);

/// One line a chapter: how each technique moves fewer bytes, or uses them better.
std::string ladder_table(const std::vector<LadderStep>& steps);

}  // namespace waitless::course
