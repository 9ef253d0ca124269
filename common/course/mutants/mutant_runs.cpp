#include "common/course/mutants/mutant_runs.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>

#include "common/base/error.h"
#include "common/course/grading/availability.h"
#include "common/course/grading/gtest.h"
#include "common/course/grading/rubric.h"
#include "common/course/grading/score.h"
#include "common/course/mutants/mutant_build.h"
#include "common/course/system/build.h"
#include "common/course/system/parallel.h"
#include "common/course/system/process.h"
#include "common/course/system/text.h"

namespace waitless::course {
namespace {

// A test of a solution takes a second or two; a mutant that needs this long hangs.
constexpr double kSilenceLimit = 60;
constexpr int kFew = 8;  // mutants of host code for which no header is worth parsing once more

/// Runs the tests of the mutant's exercise, up to the first that fails. Unless `only_own`, also those of exercises that
/// must not notice it; exercises that need it may do either.
void judge(const Repository& repository, const Rubric& rubric, const std::filesystem::path& program, bool only_own,
           MutantOutcome& outcome) {
  const std::string& mutated = outcome.mutant.exercise;
  Rubric concerned{rubric.chapter, {}};
  for (const Exercise& exercise : rubric.exercises) {
    if (exercise.id == mutated || (!only_own && !rubric.depends(exercise.id, mutated)))
      concerned.exercises.push_back(exercise);
  }
  TestRun run;
  run.program = program;
  run.launcher = chapter_build(repository, rubric.chapter).launcher;
  run.tests = concerned.tests();
  run.stops_at_failure = only_own;
  run.silence_limit_s = kSilenceLimit;
  run.environment = {{"OMP_NUM_THREADS", "1"}};  // several mutants run side by side
  TestResults results = run_tests(run);
  skip_unavailable(repository, concerned, results);
  for (const ExerciseScore& scored : score(concerned, results)) {
    if (scored.is_earned || scored.is_unavailable) continue;
    if (scored.exercise.id == mutated)
      outcome.is_killed = true;
    else
      outcome.collateral.push_back(scored.exercise.id + " (" + scored.failed_test + ")");
  }
}

/// What went wrong on a full disk says nothing of a mutant.
void stop_on_full_disk(const std::filesystem::path& folder) {
  constexpr std::uintmax_t kEnough = 1 << 20;
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (!error && space.available < kEnough) throw InputError("the disk of " + folder.string() + " is full");
}

}  // namespace

std::string MutantOutcome::text() const {
  if (!unavailable.empty()) return "not available: " + unavailable;
  if (!problem.empty()) return problem;
  if (!is_killed) return "survived: every test of " + mutant.exercise + " passes";
  if (!collateral.empty()) return "breaks exercises that do not need it: " + join(collateral, ", ");
  return "killed";
}

void run_mutants(const Repository& repository, const std::string& chapter, const std::vector<Mutant>& mutants, int jobs,
                 const std::string& optimize, const std::function<void(const MutantOutcome&)>& on_outcome) {
  if (mutants.empty()) return;
  build_targets(repository, {chapter + "_solution_test"});
  const Rubric rubric = load_rubric(repository, chapter);
  const std::filesystem::path scratch =
      repository.root / "build" / "mutants" / (chapter + "-" + std::to_string(getpid()));
  MutantBuild builder(repository, chapter, optimize);
  const auto n_host =
      std::count_if(mutants.begin(), mutants.end(), [](const Mutant& m) { return m.file.ends_with(".cpp"); });

  std::mutex reporting;
  const auto run = [&](std::size_t i) {
    const auto start = std::chrono::steady_clock::now();
    const Mutant& mutant = mutants[i];
    MutantOutcome outcome;
    outcome.mutant = mutant;
    outcome.unavailable = why_unavailable(repository, chapter, rubric.find(mutant.exercise)->track);
    const std::filesystem::path folder = scratch / mutant.name;
    if (outcome.unavailable.empty()) {
      try {
        const auto program = builder.build(changed_files(repository, chapter, mutant), folder);
        judge(repository, rubric, program, !mutant.is_not_written() && stays_in_exercise(repository, chapter, mutant),
              outcome);
      } catch (const InputError& problem) {
        outcome.problem = problem.what();
        stop_on_full_disk(scratch);
      }
    }
    std::filesystem::remove_all(folder);
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::lock_guard lock(reporting);
    on_outcome(outcome);
  };
  try {
    if (n_host > kFew) builder.precompile(scratch);
    in_parallel(mutants.size(), jobs == 0 ? default_jobs() : jobs, run);
  } catch (...) {
    std::filesystem::remove_all(scratch);
    throw;
  }
  std::filesystem::remove_all(scratch);
}

}  // namespace waitless::course
