#include "common/course/mutant_runs.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>

#include "common/course/build.h"
#include "common/course/gtest.h"
#include "common/course/mutant_build.h"
#include "common/course/parallel.h"
#include "common/course/process.h"
#include "common/course/rubric.h"
#include "common/course/score.h"
#include "common/course/text.h"
#include "common/error.h"

namespace waitless::course {
namespace {

// A test of a solution takes a second or two; a mutant that needs this long hangs.
constexpr double kSilenceLimit = 60;
constexpr int kFew = 8;  // mutants of host code for which no header is worth parsing once more

/// Runs the tests of the mutant's exercise, up to the first that fails. Unless `only_own`, also those of exercises that
/// must not notice it; exercises that need it may do either.
void judge(const Rubric& rubric, const std::filesystem::path& program, bool only_own, MutantOutcome& outcome) {
  const std::string& mutated = outcome.mutant.exercise;
  Rubric concerned{rubric.chapter, {}};
  for (const Exercise& exercise : rubric.exercises) {
    if (exercise.id == mutated || (!only_own && !rubric.depends(exercise.id, mutated)))
      concerned.exercises.push_back(exercise);
  }
  TestRun run;
  run.program = program;
  run.tests = concerned.tests();
  run.stops_at_failure = only_own;
  run.silence_limit_s = kSilenceLimit;
  run.environment = {{"OMP_NUM_THREADS", "1"}};  // several mutants run side by side
  for (const ExerciseScore& scored : score(concerned, run_tests(run))) {
    if (scored.is_earned || scored.is_unavailable) continue;
    if (scored.exercise.id == mutated)
      outcome.is_killed = true;
    else
      outcome.collateral.push_back(scored.exercise.id + " (" + scored.failed_test + ")");
  }
}

}  // namespace

std::string MutantOutcome::text() const {
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
    MutantOutcome outcome{mutant, false, {}, "", 0};
    const std::filesystem::path folder = scratch / mutant.name;
    try {
      const auto program = builder.build(changed_files(repository, chapter, mutant), folder);
      judge(rubric, program, !mutant.is_not_written() && stays_in_exercise(repository, chapter, mutant), outcome);
    } catch (const InputError& problem) {
      outcome.problem = problem.what();
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
