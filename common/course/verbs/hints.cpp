#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>

#include "common/base/error.h"
#include "common/course/grading/rubric.h"
#include "common/course/system/terminal.h"
#include "common/course/system/text.h"
#include "common/course/verbs/verbs.h"
#include "common/course/verbs/hints.h"

namespace waitless::course {
namespace {

using Json = nlohmann::json;

/// Which hint of each exercise was shown last.
class ShownHints {
 public:
  explicit ShownHints(const Repository& repository) : file_(repository.memory() / "hints.json") {
    if (std::filesystem::exists(file_)) shown_ = Json::parse(read_text(file_), nullptr, false);
    if (!shown_.is_object()) shown_ = Json::object();
  }
  int last(const std::string& exercise) const {
    return shown_.contains(exercise) && shown_[exercise].is_number_integer() ? shown_[exercise].get<int>() : 0;
  }
  void remember(const std::string& exercise, int level) {
    shown_[exercise] = level;
    write_text(file_, shown_.dump(2) + "\n");
  }

 private:
  std::filesystem::path file_;
  Json shown_ = Json::object();
};

}  // namespace

Hints parse_hints(std::string_view markdown, const std::string& name) {
  static const std::regex exercise_heading(R"(## (C?\d+\.\d+)\b.*)"), level_heading(R"(### Level (\d+)\s*)");
  Hints hints;
  std::string exercise;
  int level = 0, number = 0;
  for (const std::string& line : split_lines(markdown)) {
    ++number;
    const auto fail = [&](const std::string& what) {
      throw InputError(name + ":" + std::to_string(number) + ": " + what);
    };
    std::smatch match;
    if (std::regex_match(line, match, exercise_heading)) {
      exercise = match[1];
      level = 0;
      if (hints.count(exercise)) fail("exercise " + exercise + " has hints already");
      hints[exercise];
    } else if (std::regex_match(line, match, level_heading)) {
      if (exercise.empty()) fail("a hint without a heading '## 1.5 title' above it");
      level = std::stoi(match[1]);
      if (level != int(hints[exercise].size()) + 1) fail("hints of exercise " + exercise + " are not numbered 1, 2, 3");
      hints[exercise][level];
    } else if (line.rfind("## ", 0) == 0) {
      exercise.clear();
      level = 0;
    } else if (!exercise.empty() && level > 0) {
      hints[exercise][level] += line + "\n";
    }
  }
  for (auto& [id, levels] : hints) {
    for (auto& [at, text] : levels) text = std::string(trim(text)) + "\n";
  }
  return hints;
}

int hint_command(const Repository& repository, const std::string& id, int level, bool reset) {
  const ExerciseInChapter found = find_exercise(repository, id);
  const auto file = repository.starter(found.rubric.chapter) / "hints.md";
  const Hints hints = parse_hints(read_text(file), repository.shown(file));
  const auto levels = hints.find(id);
  if (levels == hints.end() || levels->second.empty()) throw InputError("exercise " + id + " has no hints");
  ShownHints shown(repository);
  if (reset) {
    shown.remember(id, 0);
    std::cout << "The next hint for " << id << " will be the first.\n";
    return 0;
  }
  const int n_levels = int(levels->second.size());
  if (level > n_levels) throw InputError("exercise " + id + " has " + std::to_string(n_levels) + " hints");
  const bool is_next = level == 0;
  if (is_next) level = std::min(shown.last(id) + 1, n_levels);
  std::cout << bold(id + " " + found.exercise.title) << ", hint " << level << " of " << n_levels << "\n\n"
            << levels->second.at(level);
  if (level == n_levels)
    std::cout << "\n" << dim("That was the last hint. ./course solution " + id + " shows the solution.") << "\n";
  if (is_next) shown.remember(id, level);
  return 0;
}

}  // namespace waitless::course
