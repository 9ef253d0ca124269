#include "common/course/grading/availability.h"

#include "common/course/system/build.h"

namespace waitless::course {

std::string why_unavailable(const Repository& repository, const std::string& chapter, const std::string& track) {
  const auto lacks = chapter_build(repository, chapter).lacks;
  const auto package = lacks.find(track);
  return package == lacks.end() ? "" : "needs " + package->second;
}

void skip_unavailable(const Repository& repository, const Rubric& rubric, TestResults& results) {
  for (const Exercise& exercise : rubric.exercises) {
    const std::string why = why_unavailable(repository, rubric.chapter, exercise.track);
    if (why.empty()) continue;
    for (const std::string& test : exercise.tests()) {
      const auto result = results.find(test);
      if (result != results.end() && result->second.status == TestStatus::missing)
        result->second = {TestStatus::skipped, "not available: " + why};
    }
  }
}

}  // namespace waitless::course
