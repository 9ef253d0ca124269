#include <filesystem>
#include <iostream>

#include "common/course/grading/rubric.h"
#include "common/course/grading/score.h"
#include "common/course/system/terminal.h"
#include "common/course/verbs/chapter_verbs.h"
#include "common/course/verbs/verbs.h"

namespace waitless::course {
namespace {

std::vector<std::string> row(const Repository& repository, const std::string& chapter) {
  const std::string number = chapter.substr(0, 2), title = bold(chapter.substr(3));
  if (!std::filesystem::exists(repository.tests(chapter) / "rubric.json")) return {number, title, "", "no exercises"};
  const Rubric rubric = load_rubric(repository, chapter);
  const Points points = remembered_points(repository, chapter);
  const std::string of =
      sum_text(points.earned, rubric.points(), points.earned_exercises.size(), rubric.exercises.size());
  if (!points.is_known) return {number, title, of, "start with chapters/" + chapter + "/README.md"};
  const Exercise* next = next_exercise(rubric, points);
  if (!next) return {number, title, green(of), "done"};
  return {number, title, of,
          "next: " + next->id + " " + next->title + " in chapters/" + chapter + "/" + next->files[0]};
}

}  // namespace

int list_command(const Repository& repository) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& chapter : repository.chapters()) rows.push_back(row(repository, chapter));
  std::cout << table(rows, {2});
  std::cout << "\nRun a chapter with ./course run NN, test your code with ./course test NN.\n";
  for (const ChapterVerb& verb : chapter_verbs(repository))
    std::cout << "Chapter " << verb.chapter.substr(0, 2) << " brings ./course " << verb.name << ": " << verb.summary
              << ".\n";
  return 0;
}

}  // namespace waitless::course
