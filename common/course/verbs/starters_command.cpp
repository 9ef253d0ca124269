#include <iostream>
#include <optional>

#include "common/course/starters/starters.h"
#include "common/course/system/terminal.h"
#include "common/course/verbs/verbs.h"

namespace waitless::course {

int starters_command(const Repository& repository, const std::string& name, bool check) {
  const std::optional<std::string> chapter = name.empty() ? std::nullopt : std::optional(repository.chapter(name));
  if (!check) {
    const std::vector<std::string> messages = write_starters(repository, chapter);
    for (const std::string& message : messages) std::cout << message << "\n";
    if (messages.empty()) std::cout << "Starters are up to date.\n";
    return 0;
  }
  const std::vector<std::string> problems = check_starters(repository, chapter, true);
  for (const std::string& problem : problems) std::cout << red(problem) << "\n";
  if (problems.empty()) std::cout << "Starters are what the solutions give, and show nothing of them.\n";
  return problems.empty() ? 0 : 1;
}

}  // namespace waitless::course
