#include <fnmatch.h>

#include <algorithm>
#include <iostream>

#include "common/base/error.h"
#include "common/course/grading/availability.h"
#include "common/course/grading/gtest.h"
#include "common/course/grading/score.h"
#include "common/course/system/build.h"
#include "common/course/system/terminal.h"
#include "common/course/system/text.h"
#include "common/course/verbs/verbs.h"

namespace waitless::course {
namespace {

/// Those of `all` that --filter selects: an exercise's, or those whose names match a pattern.
std::vector<std::string> selected(const Rubric& rubric, const std::vector<std::string>& all,
                                  const std::string& filter) {
  if (const Exercise* exercise = rubric.find(filter)) return exercise->tests();
  std::vector<std::string> tests;
  for (const std::string& test : all) {
    if (fnmatch(filter.c_str(), test.c_str(), 0) == 0) tests.push_back(test);
  }
  if (!tests.empty()) return tests;
  std::vector<std::string> names = all;
  for (const Exercise& exercise : rubric.exercises) names.push_back(exercise.id);
  throw InputError(unknown("exercise or test", filter, names));
}

std::string counted(std::size_t n, const char* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

/// Failures that no line of the table stands for: of tests that no exercise lists, or of an exercise of which others
/// did not run.
void print_other_failures(const Rubric& rubric, const std::vector<ExerciseScore>& scores, const TestResults& results) {
  const auto lists = [](const std::vector<std::string>& tests, const std::string& test) {
    return std::find(tests.begin(), tests.end(), test) != tests.end();
  };
  const std::vector<std::string> scored = rubric.tests();
  for (const auto& [test, result] : results) {
    if (result.status == TestStatus::passed || result.status == TestStatus::skipped) continue;
    const std::string& name = test;  // clang 14 captures no structured bindings
    if (std::any_of(scores.begin(), scores.end(), [&](const auto& s) { return lists(s.exercise.tests(), name); }))
      continue;
    const std::string missing = not_implemented_text(result.message);
    std::cout << "  " << bold(test) << (lists(scored, test) ? "" : " (no points)") << "\n       "
              << (missing.empty() ? result.message : missing) << "\n";
  }
}

void print_sum(const Repository& repository, const Rubric& rubric, const std::vector<ExerciseScore>& scores,
               bool solution) {
  int earned = 0, of = 0;
  std::size_t n_earned = 0;
  const ExerciseScore* next = nullptr;
  for (const ExerciseScore& scored : scores) {
    of += scored.exercise.points;
    n_earned += scored.is_earned;
    if (scored.is_earned)
      earned += scored.exercise.points;
    else if (!next && !scored.is_unavailable && !scored.exercise.is_optional)
      next = &scored;
  }
  std::cout << "\n" << bold(sum_text(earned, of, n_earned, scores.size())) << ".";
  if (next && !solution) {
    const auto file = repository.starter(rubric.chapter) / next->exercise.files[0];
    std::cout << " Next: " << next->exercise.id << " " << next->exercise.title << " in " << repository.shown(file)
              << "; ./course hint " << next->exercise.id << " helps.";
  }
  std::cout << "\n";
}

}  // namespace

int test_command(const Repository& repository, const std::string& name, const TestOptions& options) {
  const bool is_exercise = name.find('.') != std::string::npos;
  std::vector<std::string> of_exercise;
  std::string chapter;
  if (is_exercise) {
    const ExerciseInChapter found = find_exercise(repository, name);
    chapter = found.rubric.chapter;
    of_exercise = found.exercise.tests();
  } else {
    chapter = repository.chapter(name);
  }
  const Rubric rubric = load_rubric(repository, chapter);
  const Repository built = options.mine ? with_mine(repository, chapter) : repository;
  const std::string target = chapter + (options.solution ? "_solution_test" : "_starter_test");
  build_targets(built, {target});

  TestRun run;
  run.program = executable(built, target);
  run.launcher = chapter_build(built, chapter).launcher;
  // Scored tests come first; one that the program lacks counts as failed.
  std::vector<std::string> tests = rubric.tests();
  for (const std::string& test : list_tests(run.program)) {
    if (std::find(tests.begin(), tests.end(), test) == tests.end()) tests.push_back(test);
  }
  if (is_exercise) tests = of_exercise;
  run.tests = options.filter.empty() ? tests : selected(rubric, tests, options.filter);
  std::size_t n_started = 0;
  run.on_start = [&](const std::string& test) {
    ++n_started;
    if (is_terminal())
      std::cout << "\r\033[K" << dim(std::to_string(n_started) + "/" + std::to_string(run.tests.size()) + " " + test)
                << std::flush;
  };
  TestResults results = run_tests(run);
  skip_unavailable(built, rubric, results);
  if (is_terminal()) std::cout << "\r\033[K";

  const std::vector<ExerciseScore> scores = score(rubric, results);
  std::cout << bold(chapter) << (options.solution ? ", the solution" : ", your code") << "\n\n" << score_table(scores);
  print_other_failures(rubric, scores, results);
  std::size_t n_passed = 0, n_skipped = 0;
  for (const auto& [test, result] : results) {
    n_passed += result.status == TestStatus::passed;
    n_skipped += result.status == TestStatus::skipped;
  }
  if (!scores.empty()) print_sum(repository, rubric, scores, options.solution);
  std::cout << n_passed << " of " << counted(results.size(), "test") << " passed";
  if (n_skipped > 0) std::cout << ", " << n_skipped << " could not run here";
  std::cout << ".\n";
  if (!options.solution && !is_exercise && options.filter.empty()) remember_points(repository, chapter, scores);
  return n_passed == results.size() ? 0 : 1;
}

}  // namespace waitless::course
