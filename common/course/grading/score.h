#pragma once

#include <string>
#include <vector>

#include "common/course/grading/gtest.h"
#include "common/course/grading/rubric.h"
#include "common/course/system/repository.h"

namespace waitless::course {

struct GroupScore {
  std::string name;
  int passed = 0, of = 0;
};

/// How one exercise of a rubric came out.
struct ExerciseScore {
  Exercise exercise;
  std::vector<GroupScore> groups;
  bool is_earned = false;                  // every test of the exercise ran and passed
  bool is_unavailable = false;             // none failed, but some could not run on this machine
  std::string failed_test;                 // the first that did not pass
  std::string message;                     // and why
  std::vector<std::string> others_failed;  // the other tests that failed
};

/// Scores every exercise all of whose tests are in `results`.
std::vector<ExerciseScore> score(const Rubric& rubric, const TestResults& results);

/// The table that `./course test` prints.
std::string score_table(const std::vector<ExerciseScore>& scores);

/// "35 of 100 points", or of a chapter that gives none, "3 of 5 exercises".
std::string sum_text(int points_earned, int points, std::size_t exercises_earned, std::size_t exercises);

/// What the program remembers of the last run of a chapter's tests.
struct Points {
  int earned = 0;
  std::vector<std::string> earned_exercises;
  bool is_known = false;  // the tests have been run
};
void remember_points(const Repository& repository, const std::string& chapter,
                     const std::vector<ExerciseScore>& scores);
Points remembered_points(const Repository& repository, const std::string& chapter);

/// The first exercise of the chapter that is not earned, leaving optional ones out; null if the chapter is done.
const Exercise* next_exercise(const Rubric& rubric, const Points& points);

}  // namespace waitless::course
