#include "common/course/verbs.h"

namespace waitless::course {

int fits_command(const Repository& repository, bool mine, const std::vector<std::string>& program_arguments) {
  // Chapter 02's program knows the formulas; the student's with `mine`.
  std::vector<std::string> arguments = {"fits"};
  arguments.insert(arguments.end(), program_arguments.begin(), program_arguments.end());
  return run_command(repository, "02", mine ? Whose::kMine : Whose::kSolution, arguments);
}

}  // namespace waitless::course
