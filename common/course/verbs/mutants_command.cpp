#include <iostream>

#include "common/course/mutants/mutant_runs.h"
#include "common/course/mutants/mutants.h"
#include "common/course/system/terminal.h"
#include "common/course/verbs/verbs.h"

namespace waitless::course {

int mutants_command(const Repository& repository, const std::string& name, const MutantOptions& options) {
  const std::string chapter = repository.chapter(name);
  const std::vector<Mutant> mutants = load_mutants(repository, chapter, options.only);
  std::size_t n_killed = 0, n_done = 0;
  run_mutants(repository, chapter, mutants, options.jobs, options.optimize, [&](const MutantOutcome& outcome) {
    n_killed += outcome.ok();
    const std::string done = "[" + std::to_string(++n_done) + "/" + std::to_string(mutants.size()) + "]";
    std::cout << padded(done, 9) << padded(outcome.mutant.exercise, 6) << padded(outcome.mutant.name, 36)
              << padded(seconds_text(outcome.seconds), 8, true) << "  "
              << (outcome.ok() ? green(outcome.text()) : red(outcome.text())) << std::endl;
    if (!outcome.ok()) std::cout << "         its cause: " << outcome.mutant.cause << std::endl;
  });
  std::cout << n_killed << " of " << mutants.size() << " mutants of " << chapter << " killed.\n";
  return n_killed == mutants.size() ? 0 : 1;
}

}  // namespace waitless::course
