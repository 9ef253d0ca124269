// ./course check: everything that must hold, counted; or what concerns one chapter.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>

#include "common/base/error.h"
#include "common/course/grading/availability.h"
#include "common/course/grading/gtest.h"
#include "common/course/grading/readme_table.h"
#include "common/course/grading/rubric.h"
#include "common/course/mutants/mutant_runs.h"
#include "common/course/starters/starters.h"
#include "common/course/system/build.h"
#include "common/course/system/parallel.h"
#include "common/course/system/process.h"
#include "common/course/system/text.h"
#include "common/course/verbs/check_report.h"
#include "common/course/verbs/docs.h"
#include "common/course/verbs/fetch.h"
#include "common/course/verbs/verbs.h"
#include "common/model/find_model.h"

namespace waitless::course {
namespace {

namespace fs = std::filesystem;

constexpr double kSilenceLimit = 300;  // for one test, some of which read whole models
constexpr int kCannotRunHere = 77;     // exit status of a script that has said why

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// The files of a folder whose names end like this, in order.
std::vector<fs::path> files_in(const fs::path& folder, const std::string& end) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().ends_with(end)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Check {
 public:
  /// @param only a chapter; all chapters, and what they stand on, if it is empty
  Check(const Repository& repository, const std::string& only)
      : repository_(repository), only_(only), chapters_(only.empty() ? repository.chapters() : std::vector{only}) {
    const char* ci = std::getenv("CI");
    is_ci_ = ci && *ci;
  }

  int run() {
    find_edits();
    report_.step("build with warnings as errors", [&] { build(); });
    if (report_.n_failed() > 0) return report_.finish();
    report_.step("starters match their solutions", [&] { starters(); });
    report_.step("texts give the points of their rubrics", [&] { texts(); });
    report_.step("fetch smollm2", [&] { fetch_model(); });
    if (only_.empty()) {
      report_.step("tests of what the chapters stand on", [&] { common_tests(); });
      report_.step("scripts that use ./course", [&] { shell_tests(); });
    }
    for (const std::string& chapter : chapters_) check_chapter(chapter);
    if (only_.empty()) {
      report_.step("documentation", [&] { docs(); });
      if (fs::exists(repository_.root / "tests/fuzz/run")) report_.step("fuzzing", [&] { fuzz(); });
    }
    report_.step("CUDA code with nvcc", [&] { nvcc(); });
    return report_.finish();
  }

 private:
  void check_chapter(const std::string& chapter) {
    if (contains(programs_, chapter + "_solution_test"))
      report_.step("solution of " + chapter, [&] { report(results_of_chapter(chapter)); });
    if (contains(programs_, chapter + "_starter_test"))
      report_.step("starter of " + chapter + ": every scored test fails", [&] { starter_matrix(chapter); });
    report_.step("mutants of " + chapter, [&] { mutants(chapter); });
  }

  /// Leaves the starters that a student has edited out of everything: they may not even compile yet.
  void find_edits() {
    try {
      edited_ = edited_chapters(repository_);
    } catch (const InputError&) {
      return;  // a wrong marker: the step "starters" will tell
    }
    std::erase_if(edited_, [&](const std::string& chapter) { return !contains(chapters_, chapter); });
    for (const std::string& chapter : edited_)
      std::cout << "chapters/" << chapter
                << " has been edited: its files stay as they are, and its starter is not tested.\n";
  }

  void build() {
    programs_ = executable_targets(repository_);
    std::erase_if(programs_, [&](const std::string& target) {
      const bool is_edited = std::any_of(edited_.begin(), edited_.end(), [&](const std::string& chapter) {
        return target.starts_with(chapter + "_starter_");
      });
      return is_edited || (!only_.empty() && !target.starts_with(only_ + "_"));
    });
    if (edited_.empty() && only_.empty())
      build_all(repository_);
    else
      build_targets(repository_, programs_);
    report_.pass();
  }

  void starters() {
    const std::vector<std::string> problems =
        check_starters(repository_, only_.empty() ? std::optional<std::string>{} : only_, false);
    for (const std::string& problem : problems) report_.fail("starters", problem);
    if (problems.empty()) report_.pass();
  }

  void texts() {
    for (const std::string& chapter : chapters_) {
      if (!has_rubric(chapter)) continue;
      const fs::path readme = repository_.starter(chapter) / "README.md";
      const std::vector<std::string> problems =
          readme_differences(read_text(readme), repository_.shown(readme), load_rubric(repository_, chapter));
      for (const std::string& problem : problems) report_.fail("README.md", problem);
      if (problems.empty()) report_.pass();
    }
  }

  void fetch_model() {
    try {
      fetch(smollm2(), cache_folder(), {});
      report_.pass();
    } catch (const InputError& error) {
      unavailable("fetch smollm2", error.what());
    }
  }

  bool has_rubric(const std::string& chapter) const { return fs::exists(repository_.tests(chapter) / "rubric.json"); }

  std::vector<std::string> rubric_tests(const std::string& chapter) const {
    if (!has_rubric(chapter)) return {};
    return load_rubric(repository_, chapter).tests();
  }

  /// Runs all tests of a program, which must have those of `scored`.
  TestResults results_of(const std::string& target, const std::vector<std::string>& scored,
                         const std::vector<std::string>& launcher) const {
    TestRun run;
    run.program = executable(repository_, target);
    run.launcher = launcher;
    run.silence_limit_s = kSilenceLimit;
    run.tests = list_tests(run.program);
    for (const std::string& test : scored) {
      if (!contains(run.tests, test)) run.tests.push_back(test);
    }
    return run_tests(run);
  }

  TestResults results_of_chapter(const std::string& chapter) const {
    TestResults results = results_of(chapter + "_solution_test", rubric_tests(chapter), launcher(chapter));
    if (has_rubric(chapter)) skip_unavailable(repository_, load_rubric(repository_, chapter), results);
    return results;
  }

  std::vector<std::string> launcher(const std::string& chapter) const {
    return chapter_build(repository_, chapter).launcher;
  }

  void report(const TestResults& results) {
    for (const auto& [test, result] : results) {
      if (result.status == TestStatus::passed)
        report_.pass();
      else if (result.status == TestStatus::skipped)
        unavailable(test, std::string(trim(result.message)));
      else
        report_.fail(test, result.message);
    }
  }

  /// The test programs that belong to no chapter, side by side: some of their tests wait more than they work.
  void common_tests() {
    std::vector<std::string> targets;
    for (const std::string& target : programs_) {
      const auto is_of = [&](const std::string& chapter) { return target.starts_with(chapter); };
      if (target.ends_with("_test") && std::none_of(chapters_.begin(), chapters_.end(), is_of))
        targets.push_back(target);
    }
    std::vector<TestResults> results(targets.size());
    in_parallel(targets.size(), default_jobs(), [&](std::size_t i) { results[i] = results_of(targets[i], {}, {}); });
    for (const TestResults& program : results) report(program);
  }

  void starter_matrix(const std::string& chapter) {
    if (contains(edited_, chapter)) return report_.skip(chapter, "it has been edited");
    TestRun run;
    run.program = executable(repository_, chapter + "_starter_test");
    run.silence_limit_s = kSilenceLimit;
    run.launcher = launcher(chapter);
    run.tests = rubric_tests(chapter);
    if (run.tests.empty()) return;
    TestResults results = run_tests(run);
    skip_unavailable(repository_, load_rubric(repository_, chapter), results);
    for (const auto& [test, result] : results) {
      if (result.status == TestStatus::skipped)
        unavailable(test, std::string(trim(result.message)));
      else if (result.status == TestStatus::passed)
        report_.fail(test, "it passes on the starter");
      else if (not_implemented_text(result.message).empty())
        report_.fail(test, "on the starter it fails without saying 'not implemented yet':\n" + result.message);
      else
        report_.pass();
    }
  }

  void shell_tests() {
    const std::vector<fs::path> scripts = files_in(repository_.root / "tests" / "course", "_test.sh");
    const std::string program = executable(repository_, "waitless_course").string();
    std::vector<ProcessResult> results(scripts.size());
    in_parallel(scripts.size(), default_jobs(), [&](std::size_t i) {
      ProcessOptions options;
      options.silence_limit_s = kSilenceLimit;
      results[i] = run_process({"bash", scripts[i].string(), program}, options);
    });
    for (std::size_t i = 0; i < scripts.size(); ++i) {
      const ProcessResult& result = results[i];
      const std::string name = scripts[i].filename().string();
      if (result.ok())
        report_.pass();
      else if (result.exit_status == kCannotRunHere)
        unavailable(name, result.output);
      else
        report_.fail(name, result.how_it_ended() + "\n" + result.output);
    }
  }

  void mutants(const std::string& chapter) {
    const std::vector<Mutant> bank = load_mutants(repository_, chapter, "");
    std::size_t n = 0;
    run_mutants(repository_, chapter, bank, 0, "1", [&](const MutantOutcome& outcome) {
      if (outcome.ok())
        report_.pass();
      else if (!outcome.unavailable.empty())
        unavailable(outcome.mutant.name, outcome.text());
      else
        report_.fail(outcome.mutant.name + " (" + outcome.mutant.exercise + ")", outcome.text());
      if (++n % 10 == 0) std::cout << "  " << n << " of " << bank.size() << std::endl;
    });
  }

  void docs() {
    if (!has_doxygen()) return unavailable("documentation", "doxygen is not installed");
    build_docs(repository_);
    report_.pass();
  }

  void fuzz() {
    if (find_program("clang++").empty()) return unavailable("fuzzing", "clang is not installed");
    ProcessOptions options;
    options.folder = repository_.root;
    const ProcessResult result = run_process({(repository_.root / "tests/fuzz/run").string(), "60"}, options);
    if (!result.ok()) return report_.fail("fuzzing", result.how_it_ended() + "\n" + result.output);
    for (const std::string& line : split_lines(result.output)) {
      if (line.find(" inputs in ") == std::string::npos) continue;  // one line a target
      std::cout << "  " << line << "\n";
      report_.pass();
    }
  }

  /// Compiles and links the chapters that have .cu files once more, for a GPU. Nothing runs: host code stays
  /// unoptimized, and device code is for the oldest GPUs, which lack what newer ones have.
  void nvcc() {
    std::vector<std::string> targets;
    for (const std::string& chapter : chapters_) {
      const bool has_program = contains(programs_, chapter + "_solution_run");
      if (!files_in(repository_.solution(chapter), ".cu").empty())
        targets.push_back(chapter + (has_program ? "_solution_run" : "_solution"));
    }
    if (targets.empty()) return report_.skip("nvcc", "no chapter has CUDA code yet");
    if (find_program("nvcc").empty() && find_program("/usr/local/cuda/bin/nvcc").empty())
      return report_.skip("nvcc", "it is not installed");
    const Repository cuda = {repository_.root, repository_.root / "build" / "check-cuda"};
    forget_other_place(cuda);
    ProcessOptions options;
    options.folder = repository_.root;
    std::vector<std::string> command = {"cmake",
                                        "--preset",
                                        "cuda",
                                        "-B",
                                        cuda.build.string(),
                                        "-DCMAKE_CXX_FLAGS_RELEASE=-O0",
                                        "-DCMAKE_CUDA_FLAGS_RELEASE=-O0",
                                        "-DCMAKE_CUDA_ARCHITECTURES=75"};
    if (!fs::exists(cuda.build / "CMakeCache.txt"))
      command.insert(command.end(), {"-G", cache_value(repository_.build, "CMAKE_GENERATOR")});
    const ProcessResult configured = run_process(command, options);
    if (!configured.ok()) throw BuildFailed(configured.output);
    build_targets(cuda, targets);
    report_.pass();
  }

  /// What a person's machine may lack, but continuous integration may not: there it fails. A GPU and nvcc are the
  /// exception.
  void unavailable(const std::string& what, const std::string& why) {
    if (is_ci_)
      report_.fail(what, why);
    else
      report_.skip(what, why);
  }

  Repository repository_;
  std::string only_;
  std::vector<std::string> chapters_, edited_, programs_;
  bool is_ci_ = false;
  CheckReport report_;
};

}  // namespace

int check_command(const Repository& repository, const std::string& chapter) {
  return Check(repository, chapter.empty() ? "" : repository.chapter(chapter)).run();
}

}  // namespace waitless::course
