#pragma once

#include <string>

#include "common/course/grading/gtest.h"
#include "common/course/grading/rubric.h"
#include "common/course/system/repository.h"

namespace waitless::course {

/// Why the exercises of a track cannot be built on this machine: "needs libopenmpi-dev"; empty if they can. A track is
/// not available if it is called after an optional library of the chapter that this machine lacks.
std::string why_unavailable(const Repository& repository, const std::string& chapter, const std::string& track);

/// Makes tests that are missing because their exercise is not available skipped ones, with that reason.
void skip_unavailable(const Repository& repository, const Rubric& rubric, TestResults& results);

}  // namespace waitless::course
