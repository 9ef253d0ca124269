// diff and reset: the student's files against the generated starters.

#include <ctime>
#include <filesystem>
#include <iostream>

#include "common/base/error.h"
#include "common/course/starters/starters.h"
#include "common/course/system/process.h"
#include "common/course/system/terminal.h"
#include "common/course/system/text.h"
#include "common/course/verbs/verbs.h"

namespace waitless::course {
namespace {

namespace fs = std::filesystem;

/// Prints how `to` differs from `from`; whether it does.
bool print_difference(const fs::path& from, const fs::path& to, const std::string& from_name,
                      const std::string& to_name) {
  const ProcessResult diff =
      run_process({"diff", "-u", "--label", from_name, "--label", to_name, from.string(), to.string()});
  if (diff.signal != 0 || diff.exit_status > 1) throw InputError("diff failed: " + std::string(trim(diff.output)));
  for (const std::string& line : split_lines(diff.output)) {
    if (line[0] == '+')
      std::cout << green(line) << "\n";
    else if (line[0] == '-')
      std::cout << red(line) << "\n";
    else
      std::cout << line << "\n";
  }
  return diff.exit_status == 1;
}

/// The current time as the name of a folder that does not exist yet.
fs::path new_backup(const Repository& repository) {
  char time[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(time, sizeof time, "%Y-%m-%d_%H-%M-%S", std::localtime(&now));
  fs::path folder = repository.root / "build" / "backups" / time;
  for (int n = 2; fs::exists(folder); ++n)
    folder = repository.root / "build" / "backups" / (time + ("_" + std::to_string(n)));
  return folder;
}

}  // namespace

int diff_command(const Repository& repository, const std::string& name, bool against_solution) {
  const std::string chapter = repository.chapter(name);
  bool differs = false;
  for (const StarterFile& file : starter_files(repository, chapter)) {
    const fs::path mine = repository.root / "chapters" / file.name;
    if (file.state == StarterState::missing) {
      std::cout << "chapters/" << file.name << " is missing; ./course reset " << chapter.substr(0, 2)
                << " brings it back\n";
      differs = true;
    } else if (against_solution) {
      if (file.regions.empty()) continue;
      differs |= print_difference(mine, repository.root / "solutions" / file.name, "yours/" + file.name,
                                  "solution/" + file.name);
    } else if (file.state != StarterState::current) {
      const fs::path starter = repository.memory() / "starter" / file.name;
      write_text(starter, file.text);
      differs |= print_difference(starter, mine, "starter/" + file.name, "yours/" + file.name);
    }
  }
  if (!differs) std::cout << "No differences.\n";
  return 0;
}

int reset_command(const Repository& repository, const std::string& name, const std::string& only) {
  const std::string chapter = repository.chapter(name);
  const fs::path backup = new_backup(repository);
  std::vector<std::string> names, kept;
  bool has_reset = false;
  for (const StarterFile& file : starter_files(repository, chapter)) {
    const fs::path mine = repository.root / "chapters" / file.name;
    const std::string short_name = file.name.substr(chapter.size() + 1);
    names.push_back(short_name);
    if (!only.empty() && only != short_name && fs::path(only).lexically_normal() != fs::path("chapters") / file.name)
      continue;
    names.clear();
    has_reset = true;
    if (file.state == StarterState::current) {
      if (!only.empty()) break;
      continue;
    }
    if (file.state != StarterState::missing) {
      write_text(backup / file.name, read_text(mine));
      kept.push_back(file.name);
    }
    write_text(mine, file.text);
    std::cout << "reset chapters/" << file.name << "\n";
    if (!only.empty()) break;
  }
  if (!has_reset) throw InputError(unknown("starter", only, names) + " in chapters/" + chapter);
  if (kept.empty())
    std::cout << "Nothing of yours was replaced.\n";
  else
    std::cout << "What was there is kept in " << repository.shown(backup) << "\n";
  return 0;
}

}  // namespace waitless::course
