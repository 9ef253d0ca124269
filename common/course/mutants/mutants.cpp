#include "common/course/mutants/mutants.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "common/base/error.h"
#include "common/course/grading/rubric.h"
#include "common/course/starters/markers.h"
#include "common/course/system/text.h"

namespace waitless::course {
namespace {

constexpr std::string_view kReplace = "<<<<<<< replace", kBy = "=======", kWith = ">>>>>>> with";

}  // namespace

Mutant parse_mutant(std::string_view text, const std::string& name) {
  enum class Part { header, old_lines, new_lines } part = Part::header;
  std::map<std::string, std::string> header;
  std::vector<std::string> old_lines, new_lines;
  Mutant mutant;
  mutant.name = std::filesystem::path(name).stem().string();
  int number = 0;
  const auto fail = [&](const std::string& what) {
    throw InputError(name + ":" + std::to_string(number) + ": " + what);
  };
  for (const std::string& line : split_lines(text)) {
    ++number;
    if (part == Part::header && line == kReplace) {
      part = Part::old_lines;
    } else if (part == Part::old_lines && line == kBy) {
      part = Part::new_lines;
    } else if (part == Part::new_lines && line == kWith) {
      if (trim(join(old_lines, "")).empty()) fail("the block replaces nothing");
      mutant.replacements.emplace_back(join(old_lines, "\n"), join(new_lines, "\n"));
      old_lines.clear();
      new_lines.clear();
      part = Part::header;
    } else if (line == kReplace || line == kBy || line == kWith) {
      fail("'" + line + "' is out of place");
    } else if (part == Part::old_lines) {
      old_lines.push_back(line);
    } else if (part == Part::new_lines) {
      new_lines.push_back(line);
    } else if (!trim(line).empty()) {
      const std::size_t colon = line.find(": ");
      const std::string key = line.substr(0, colon);
      if (colon == std::string::npos || (key != "exercise" && key != "file" && key != "cause"))
        fail("expected 'exercise: ', 'file: ', 'cause: ' or '" + std::string(kReplace) + "'");
      header[key] = std::string(trim(line.substr(colon + 2)));
    }
  }
  if (part != Part::header) fail("the last block has no '" + std::string(kWith) + "'");
  for (const char* key : {"exercise", "file", "cause"}) {
    if (header[key].empty()) throw InputError(name + ": has no line '" + std::string(key) + ": '");
  }
  if (mutant.replacements.empty()) throw InputError(name + ": replaces nothing");
  mutant.exercise = header["exercise"];
  mutant.file = header["file"];
  mutant.cause = header["cause"];
  return mutant;
}

std::string apply_mutant(const Mutant& mutant, std::string_view source) {
  std::string text(source);
  for (const auto& [old_text, new_text] : mutant.replacements) {
    const std::size_t at = text.find(old_text);
    const std::string quoted = "'" + std::string(trim(old_text.substr(0, old_text.find('\n')))) + "'";
    if (at == std::string::npos) throw InputError(mutant.file + " has no " + quoted + " to replace");
    if (text.find(old_text, at + 1) != std::string::npos)
      throw InputError(mutant.file + " has " + quoted + " more than once");
    text.replace(at, old_text.size(), new_text);
  }
  return text;
}

std::map<std::string, std::string> changed_files(const Repository& repository, const std::string& chapter,
                                                 const Mutant& mutant) {
  const auto folder = repository.solution(chapter);
  if (!mutant.is_not_written()) return {{mutant.file, apply_mutant(mutant, read_text(folder / mutant.file))}};
  std::map<std::string, std::string> changed;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".cu") continue;
    const std::string solution = read_text(entry.path()),
                      starter = without_exercise(solution, repository.shown(entry.path()), mutant.exercise);
    if (starter != solution) changed[entry.path().filename().string()] = starter;
  }
  if (changed.empty()) throw InputError("the solution has no region of exercise " + mutant.exercise);
  return changed;
}

bool stays_in_exercise(const Repository& repository, const std::string& chapter, const Mutant& mutant) {
  const std::string solution = read_text(repository.solution(chapter) / mutant.file);
  const auto rest = [&](const std::string& text) { return without_exercise(text, mutant.file, mutant.exercise); };
  return rest(apply_mutant(mutant, solution)) == rest(solution);
}

std::vector<Mutant> load_mutants(const Repository& repository, const std::string& chapter, const std::string& only) {
  const Rubric rubric = load_rubric(repository, chapter);
  const auto folder = repository.tests(chapter) / "mutants";
  std::vector<Mutant> mutants;
  std::vector<std::string> names;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".mutant") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  const auto is_wanted = [&](const std::string& name) {
    return only.empty() || fnmatch(only.c_str(), name.c_str(), 0) == 0;
  };
  for (const Exercise& exercise : rubric.exercises) {
    const std::string name = exercise.id + "_not_written";
    if (!names.empty() && is_wanted(name))
      mutants.push_back({name, exercise.id, exercise.files[0], "the exercise is not written", {}});
  }
  for (const std::string& name : names) {
    if (!is_wanted(name)) continue;
    const auto file = folder / (name + ".mutant");
    mutants.push_back(parse_mutant(read_text(file), repository.shown(file)));
    if (!rubric.find(mutants.back().exercise))
      throw InputError(repository.shown(file) + ": exercise " + mutants.back().exercise + " is not in the rubric");
  }
  if (mutants.empty() && !only.empty()) throw InputError(unknown("mutant", only, names));
  return mutants;
}

}  // namespace waitless::course
