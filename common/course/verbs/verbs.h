#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/course/system/repository.h"

// The commands of ./course, one a file, each returning the exit status. `chapter` is what the user typed; a chapter
// that does not exist, like everything else a user can get wrong, is an InputError.
namespace waitless::course {

/// Chapters, the points of the last test run, the next step.
int list_command(const Repository& repository);

/// Whose code a chapter's program is made of.
enum class Whose {
  kSolution,
  kMine,     // the student's, on the solutions of earlier chapters, as it is tested
  kAllMine,  // the student's, on the student's earlier chapters
};

/// Becomes the chapter's program.
int run_command(const Repository& repository, const std::string& chapter, Whose code,
                const std::vector<std::string>& program_arguments);

struct TestOptions {
  bool mine = false;      // on the student's earlier chapters
  bool solution = false;  // the solution's code instead of the student's
  std::string filter;     // an exercise, or a pattern of test names with * and ?
};
/// Runs a chapter's tests (or one exercise's: "1.5") and prints what each exercise earned.
/// @return 0 only if every test passed
int test_command(const Repository& repository, const std::string& chapter, const TestOptions& options);

/// One more hint for an exercise, or the one of `level`.
int hint_command(const Repository& repository, const std::string& exercise, int level, bool reset);
/// The solution of an exercise.
int solution_command(const Repository& repository, const std::string& exercise);
/// What the student changed, or how the student's code differs from the solution's.
int diff_command(const Repository& repository, const std::string& chapter, bool against_solution);
/// Puts starters back in place and keeps what was there; all of the chapter, or one file.
int reset_command(const Repository& repository, const std::string& chapter, const std::string& file);

/// Begins a chapter that passes check_command() as it is.
int new_command(const Repository& repository, const std::string& name, const std::vector<std::string>& needs);

/// Generates chapters/ from solutions/, or checks that it is up to date.
int starters_command(const Repository& repository, const std::string& chapter, bool check);

struct MutantOptions {
  std::string only;  // a mutant's name, or all
  int jobs = 0;      // 0: one a processor, at most four
  std::string optimize = "1";
};
/// Whether the tests of a chapter notice each wrong solution of its bank.
int mutants_command(const Repository& repository, const std::string& chapter, const MutantOptions& options);

int bench_command(const Repository& repository, const std::string& chapter, const std::vector<std::string>& arguments);
/// What the chapter's kernels do to memory, counted by simt, with the time that this takes at best on an accelerator of
/// datasets/hardware.csv.
int profile_command(const Repository& repository, const std::string& chapter, bool solution, const std::string& on);
/// Plots the results of the last bench_command() by the scripts in tests/NN_name/plots, as SVG and PNG.
int plot_command(const Repository& repository, const std::string& chapter);
int docs_command(const Repository& repository);
int fetch_command(const std::string& model, const std::string& from);
int demo_command(const Repository& repository, const std::vector<std::string>& program_arguments);
/// Everything that must hold, or, unless `chapter` is empty, what concerns that one.
int check_command(const Repository& repository, const std::string& chapter);

}  // namespace waitless::course
