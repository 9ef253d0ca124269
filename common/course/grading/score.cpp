#include "common/course/grading/score.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/course/system/terminal.h"
#include "common/course/system/text.h"

namespace waitless::course {
namespace {

using Json = nlohmann::json;
constexpr std::size_t kMessageLines = 12;

std::filesystem::path points_file(const Repository& repository) { return repository.memory() / "points.json"; }

/// An empty object if nothing is remembered, or nothing that can be read.
Json read_points(const Repository& repository) {
  if (!std::filesystem::exists(points_file(repository))) return Json::object();
  const Json all = Json::parse(read_text(points_file(repository)), nullptr, false);
  return all.is_object() ? all : Json::object();
}

std::string indented(const std::string& text) {
  std::vector<std::string> lines = split_lines(text);
  const std::size_t n_cut = lines.size() > kMessageLines ? lines.size() - kMessageLines : 0;
  lines.resize(lines.size() - n_cut);
  if (n_cut > 0) lines.push_back("(" + std::to_string(n_cut) + " more lines)");
  std::string result;
  for (const std::string& line : lines) result += "         " + line + "\n";
  return result;
}

}  // namespace

std::vector<ExerciseScore> score(const Rubric& rubric, const TestResults& results) {
  std::vector<ExerciseScore> scores;
  for (const Exercise& exercise : rubric.exercises) {
    ExerciseScore scored{exercise, {}, true, false, "", "", {}};
    bool has_run = true, has_failed = false, has_skipped = false;
    for (const TestGroup& group : exercise.groups) {
      GroupScore counts{group.name, 0, int(group.tests.size())};
      for (const std::string& test : group.tests) {
        const auto found = results.find(test);
        has_run = has_run && found != results.end();
        if (found == results.end()) continue;
        const TestStatus status = found->second.status;
        if (status == TestStatus::passed) {
          ++counts.passed;
          continue;
        }
        scored.is_earned = false;
        const bool is_worse = status != TestStatus::skipped && !has_failed;
        (status == TestStatus::skipped ? has_skipped : has_failed) = true;
        if (status != TestStatus::skipped) scored.others_failed.push_back(test);
        if (scored.failed_test.empty() || is_worse) {
          scored.failed_test = test;
          scored.message = found->second.message;
        }
      }
      scored.groups.push_back(counts);
    }
    std::erase(scored.others_failed, scored.failed_test);
    scored.is_unavailable = has_skipped && !has_failed;
    if (has_run) scores.push_back(std::move(scored));
  }
  return scores;
}

std::string score_table(const std::vector<ExerciseScore>& scores) {
  std::vector<std::vector<std::string>> rows;
  for (const ExerciseScore& scored : scores) {
    const std::string of = "/" + std::to_string(scored.exercise.points);
    std::string points = red("0" + of);
    if (scored.is_earned) points = green(std::to_string(scored.exercise.points) + of);
    if (scored.is_unavailable) points = yellow("-" + of);
    if (scored.exercise.points == 0) points = scored.is_earned ? green("done") : "open";  // worth no points
    std::vector<std::string> groups;
    for (const GroupScore& group : scored.groups) {
      if (group.of > 0)
        groups.push_back(group.name + " " + std::to_string(group.passed) + "/" + std::to_string(group.of));
    }
    const std::string title = scored.exercise.title + (scored.exercise.is_optional ? " (optional)" : "");
    rows.push_back({"  " + scored.exercise.id, title, points, dim(join(groups, ", "))});
  }
  const std::vector<std::string> lines = split_lines(table(rows, {2}));
  std::string text;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    text += lines[i] + "\n";
    if (scores[i].is_earned) continue;
    const std::string missing = not_implemented_text(scores[i].message);
    if (!missing.empty())
      text += "       " + missing + "\n";
    else if (scores[i].is_unavailable)
      text += "       cannot run here: " + std::string(trim(scores[i].message)) + "\n";
    else {
      text += "       " + bold(scores[i].failed_test) + "\n" + indented(scores[i].message);
      if (!scores[i].others_failed.empty()) text += "       also failed: " + join(scores[i].others_failed, ", ") + "\n";
    }
  }
  return text;
}

std::string sum_text(int points_earned, int points, std::size_t exercises_earned, std::size_t exercises) {
  if (points > 0) return std::to_string(points_earned) + " of " + std::to_string(points) + " points";
  return std::to_string(exercises_earned) + " of " + std::to_string(exercises) + " exercises";
}

void remember_points(const Repository& repository, const std::string& chapter,
                     const std::vector<ExerciseScore>& scores) {
  Json all = read_points(repository);
  Json earned = Json::object();
  for (const ExerciseScore& scored : scores) {
    if (scored.is_earned) earned[scored.exercise.id] = scored.exercise.points;
  }
  all[chapter] = earned;
  write_text(points_file(repository), all.dump(2) + "\n");
}

Points remembered_points(const Repository& repository, const std::string& chapter) {
  const Json all = read_points(repository);
  Points points;
  if (!all.contains(chapter) || !all[chapter].is_object()) return points;
  points.is_known = true;
  for (const auto& [id, value] : all[chapter].items()) {
    points.earned_exercises.push_back(id);
    if (value.is_number_integer()) points.earned += value.get<int>();
  }
  return points;
}

const Exercise* next_exercise(const Rubric& rubric, const Points& points) {
  for (const Exercise& exercise : rubric.exercises) {
    const auto& earned = points.earned_exercises;
    const bool is_earned = std::find(earned.begin(), earned.end(), exercise.id) != earned.end();
    if (!is_earned && !exercise.is_optional) return &exercise;
  }
  return nullptr;
}

}  // namespace waitless::course
