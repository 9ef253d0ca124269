// ./course check: everything that must hold, counted.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "common/course/build.h"
#include "common/course/check_report.h"
#include "common/course/docs.h"
#include "common/course/fetch.h"
#include "common/course/gtest.h"
#include "common/course/mutant_runs.h"
#include "common/course/parallel.h"
#include "common/course/process.h"
#include "common/course/rubric.h"
#include "common/course/starters.h"
#include "common/course/text.h"
#include "common/course/verbs.h"
#include "common/error.h"
#include "common/run/models.h"

namespace waitless::course {
namespace {

namespace fs = std::filesystem;

constexpr double kSilenceLimit = 300;  // for one test, some of which read whole models
constexpr int kCannotRunHere = 77;     // exit status of a script that has said why

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

class Check {
 public:
  explicit Check(const Repository& repository) : repository_(repository), chapters_(repository.chapters()) {
    const char* ci = std::getenv("CI");
    is_ci_ = ci && *ci;
  }

  int run() {
    find_edits();
    report_.step("build with warnings as errors", [&] { build(); });
    if (report_.n_failed() > 0) return report_.finish();
    report_.step("starters match their solutions", [&] { starters(); });
    if (is_ci_) report_.step("fetch smollm2", [&] { fetch_model(); });
    report_.step("tests of what the chapters stand on", [&] { common_tests(); });
    report_.step("scripts that use ./course", [&] { shell_tests(); });
    for (const std::string& chapter : chapters_) {
      if (contains(programs_, chapter + "_solution_test"))
        report_.step("solution of " + chapter,
                     [&] { report(results_of(chapter + "_solution_test", rubric_tests(chapter))); });
      if (contains(programs_, chapter + "_starter_test"))
        report_.step("starter of " + chapter + ": every scored test fails", [&] { starter_matrix(chapter); });
      report_.step("mutants of " + chapter, [&] { mutants(chapter); });
    }
    report_.step("documentation", [&] { docs(); });
    if (fs::exists(repository_.root / "tests/fuzz/run")) report_.step("fuzzing", [&] { fuzz(); });
    report_.step("CUDA code with nvcc", [&] { nvcc(); });
    return report_.finish();
  }

 private:
  /// Leaves the starters that a student has edited out of everything: they may not even compile yet.
  void find_edits() {
    try {
      edited_ = edited_chapters(repository_);
    } catch (const InputError&) {
      return;  // a wrong marker: the step "starters" will tell
    }
    for (const std::string& chapter : edited_)
      std::cout << "chapters/" << chapter
                << " has been edited: its files stay as they are, and its starter is not tested.\n";
  }

  void build() {
    programs_ = executable_targets(repository_);
    for (const std::string& chapter : edited_) {
      programs_.erase(
          std::remove_if(programs_.begin(), programs_.end(),
                         [&](const std::string& target) { return target.rfind(chapter + "_starter_", 0) == 0; }),
          programs_.end());
    }
    if (edited_.empty())
      build_all(repository_);
    else
      build_targets(repository_, programs_);
    report_.pass();
  }

  void starters() {
    const std::vector<std::string> problems = check_starters(repository_, {}, false);
    for (const std::string& problem : problems) report_.fail("starters", problem);
    if (problems.empty()) report_.pass();
  }

  void fetch_model() {
    fetch(smollm2(), cache_folder(), {});
    report_.pass();
  }

  std::vector<std::string> rubric_tests(const std::string& chapter) const {
    if (!fs::exists(repository_.tests(chapter) / "rubric.json")) return {};
    return load_rubric(repository_, chapter).tests();
  }

  /// Runs all tests of a program, which must have those of `scored`.
  TestResults results_of(const std::string& target, const std::vector<std::string>& scored) const {
    TestRun run;
    run.program = executable(repository_, target);
    run.silence_limit_s = kSilenceLimit;
    run.tests = list_tests(run.program);
    for (const std::string& test : scored) {
      if (!contains(run.tests, test)) run.tests.push_back(test);
    }
    return run_tests(run);
  }

  void report(const TestResults& results) {
    for (const auto& [test, result] : results) {
      if (result.status == TestStatus::passed)
        report_.pass();
      else if (result.status == TestStatus::skipped)
        report_.skip(test, std::string(trim(result.message)));
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
    in_parallel(targets.size(), default_jobs(), [&](std::size_t i) { results[i] = results_of(targets[i], {}); });
    for (const TestResults& program : results) report(program);
  }

  void starter_matrix(const std::string& chapter) {
    if (contains(edited_, chapter)) return report_.skip(chapter, "it has been edited");
    TestRun run;
    run.program = executable(repository_, chapter + "_starter_test");
    run.silence_limit_s = kSilenceLimit;
    run.tests = rubric_tests(chapter);
    if (run.tests.empty()) return;
    for (const auto& [test, result] : run_tests(run)) {
      if (result.status == TestStatus::skipped)
        report_.skip(test, std::string(trim(result.message)));
      else if (result.status == TestStatus::passed)
        report_.fail(test, "it passes on the starter");
      else if (not_implemented_text(result.message).empty())
        report_.fail(test, "on the starter it fails without saying 'not implemented yet':\n" + result.message);
      else
        report_.pass();
    }
  }

  void shell_tests() {
    const fs::path folder = repository_.root / "tests" / "course";
    std::vector<fs::path> scripts;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().filename().string().ends_with("_test.sh")) scripts.push_back(entry.path());
    }
    std::sort(scripts.begin(), scripts.end());
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
      const auto files = fs::directory_iterator(repository_.solution(chapter));
      if (std::any_of(begin(files), end(files), [](const auto& entry) { return entry.path().extension() == ".cu"; }))
        targets.push_back(chapter + (has_program ? "_solution_run" : "_solution"));
    }
    if (targets.empty()) return report_.skip("nvcc", "no chapter has CUDA code yet");
    if (find_program("nvcc").empty() && find_program("/usr/local/cuda/bin/nvcc").empty())
      return report_.skip("nvcc", "it is not installed");
    const Repository cuda = {repository_.root, repository_.root / "build" / "check-cuda"};
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

  /// What a person's machine may lack, but continuous integration may not.
  void unavailable(const std::string& what, const std::string& why) {
    if (is_ci_)
      report_.fail(what, why);
    else
      report_.skip(what, why);
  }

  Repository repository_;
  std::vector<std::string> chapters_, edited_, programs_;
  bool is_ci_ = false;
  CheckReport report_;
};

}  // namespace

int check_command(const Repository& repository) { return Check(repository).run(); }

}  // namespace waitless::course
