#pragma once

#include <map>
#include <string>
#include <string_view>

namespace waitless::course {

/// Hints of a chapter, from its hints.md: exercise -> level -> text.
///   ## 1.5 attention
///   ### Level 1
using Hints = std::map<std::string, std::map<int, std::string>>;

/// @throws InputError "<name>:12: ..." for a hint without exercise or level
Hints parse_hints(std::string_view markdown, const std::string& name);

}  // namespace waitless::course
