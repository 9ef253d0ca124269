#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace waitless::course {

/// What a chapter's program can do (its --describe).
struct ProgramDescription {
  std::string technique;
  bool generates_text = false, has_cuda = false;
};

/// @throws InputError "<name>: ..." if it is no description
ProgramDescription parse_description(std::string_view json, const std::string& name);

/// What a chapter's program measured of one generation (its --record).
struct LadderStep {
  std::string technique, backend;
  double ttft_s = 0, tpot_s = 0, tokens_per_s = 0;
  double weight_bytes_read = 0, kv_bytes_read = 0;  // for each token
  double bandwidth_share = 0;
  bool fits_cache = false;
  double kv_bytes_allocated = 0;
};

/// @throws InputError "<name>: ..." if the record lacks a number
LadderStep parse_record(std::string_view json, const std::string& name);

/// One line a chapter: how each technique reads fewer bytes, or uses them better; and what the columns mean.
std::string ladder_table(const std::vector<LadderStep>& steps);

}  // namespace waitless::course
