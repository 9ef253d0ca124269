#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/course/mutants/mutants.h"
#include "common/course/system/repository.h"

namespace waitless::course {

/// What became of a mutant.
struct MutantOutcome {
  Mutant mutant;
  bool is_killed = false;               // its exercise failed
  std::vector<std::string> collateral;  // exercises that failed although they do not need the mutant's
  std::string problem;                  // it does not apply or compile
  std::string unavailable;              // why it cannot be built here: "needs libopenmpi-dev"
  double seconds = 0;

  bool ok() const { return is_killed && collateral.empty() && problem.empty(); }
  /// "killed", or what is wrong
  std::string text() const;
};

/// Builds the solution's tests once with each mutant, compiling only the files that it changes, and runs the tests of
/// its exercise on it; those of other exercises too if the mutant does more than to write this one wrongly.
/// @param jobs how many at a time; 0: one a processor, at most four
/// @param optimize the level that the mutants are compiled at
/// @param on_outcome called after each, from one thread at a time
void run_mutants(const Repository& repository, const std::string& chapter, const std::vector<Mutant>& mutants, int jobs,
                 const std::string& optimize, const std::function<void(const MutantOutcome&)>& on_outcome);

}  // namespace waitless::course
