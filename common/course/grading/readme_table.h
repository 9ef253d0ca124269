#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/course/grading/rubric.h"

namespace waitless::course {

/// Where the tables of exercises in a chapter's README, `| id | ... | file | ... | points |`, say something else than
/// its rubric, one message each: "chapters/01_first/README.md: 1.2 gives 4 points, the rubric 5".
std::vector<std::string> readme_differences(std::string_view readme, const std::string& name, const Rubric& rubric);

}  // namespace waitless::course
