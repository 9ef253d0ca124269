#include <iostream>

#include "common/course/system/build.h"
#include "common/course/system/process.h"
#include "common/course/verbs/verbs.h"

namespace waitless::course {

int run_command(const Repository& repository, const std::string& name, Whose code,
                const std::vector<std::string>& program_arguments) {
  const std::string chapter = repository.chapter(name);
  const Repository built = code == Whose::kAllMine ? with_mine(repository, chapter) : repository;
  const std::string target = chapter + (code == Whose::kSolution ? "_solution_run" : "_starter_run");
  build_targets(built, {target});
  std::vector<std::string> command = start_command(built, target);
  command.insert(command.end(), program_arguments.begin(), program_arguments.end());
  std::cout.flush();
  exec_process(command);
}

}  // namespace waitless::course
