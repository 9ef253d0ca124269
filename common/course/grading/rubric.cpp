#include "common/course/grading/rubric.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "common/base/error.h"
#include "common/course/system/text.h"

namespace waitless::course {
namespace {

using Json = nlohmann::ordered_json;  // groups keep the order of the file

/// Reads one exercise; errors name it.
class ExerciseReader {
 public:
  ExerciseReader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json_.is_object()) fail("is not an object");
  }

  std::string text(const char* key) const {
    if (!json_.contains(key) || !json_[key].is_string() || json_[key].get<std::string>().empty())
      fail("has no " + std::string(key));
    return json_[key].get<std::string>();
  }
  /// "file": "a.cpp", or "files": ["a.cpp", "b.cpp"]
  std::vector<std::string> one_or_more(const std::string& key) const {
    const std::string plural = key + "s";
    if (!json_.contains(plural)) return {text(key.c_str())};
    if (json_.contains(key)) fail("has both " + key + " and " + plural);
    const std::vector<std::string> all = strings(json_[plural], plural);
    if (all.empty()) fail("has no " + plural);
    return all;
  }
  bool flag(const char* key) const {
    if (!json_[key].is_boolean()) fail("has " + std::string(key) + " that is neither true nor false");
    return json_[key].get<bool>();
  }
  int points() const {
    if (!json_.contains("points") || !json_["points"].is_number_integer() || json_["points"].get<int>() < 0)
      fail("has no points, a number of at least 0");
    return json_["points"].get<int>();
  }
  std::vector<std::string> strings(const Json& list, const std::string& what) const {
    if (!list.is_array()) fail("has " + what + " that is not a list");
    std::vector<std::string> result;
    for (const Json& item : list) {
      if (!item.is_string()) fail("has something in " + what + " that is not a text");
      result.push_back(item.get<std::string>());
    }
    return result;
  }
  Exercise read() {
    Exercise exercise;
    exercise.id = text("id");
    where_ += " " + exercise.id;
    exercise.title = text("title");
    exercise.files = one_or_more("file");
    exercise.functions = one_or_more("function");
    exercise.track = text("track");
    exercise.points = points();
    if (json_.contains("optional")) exercise.is_optional = flag("optional");
    if (json_.contains("needs")) exercise.needs = strings(json_["needs"], "needs");
    if (!json_.contains("tests") || !json_["tests"].is_object()) fail("has no tests");
    for (const auto& [name, list] : json_["tests"].items()) exercise.groups.push_back({name, strings(list, name)});
    if (exercise.tests().empty()) fail("has no tests");
    return exercise;
  }
  [[noreturn]] void fail(const std::string& what) const { throw InputError(where_ + " " + what); }

 private:
  const Json& json_;
  std::string where_;
};

}  // namespace

std::vector<std::string> Exercise::tests() const {
  std::vector<std::string> all;
  for (const TestGroup& group : groups) all.insert(all.end(), group.tests.begin(), group.tests.end());
  return all;
}

const Exercise* Rubric::find(std::string_view id) const {
  for (const Exercise& exercise : exercises) {
    if (exercise.id == id) return &exercise;
  }
  return nullptr;
}

bool Rubric::depends(const std::string& exercise, const std::string& other) const {
  std::set<std::string> seen;
  std::vector<std::string> open = {exercise};
  while (!open.empty()) {
    const std::string id = open.back();
    open.pop_back();
    for (const std::string& needed : find(id)->needs) {
      if (needed == other) return true;
      if (seen.insert(needed).second) open.push_back(needed);
    }
  }
  return false;
}

std::vector<std::string> Rubric::tests() const {
  std::vector<std::string> all;
  for (const Exercise& exercise : exercises) {
    for (const std::string& test : exercise.tests()) {
      if (std::find(all.begin(), all.end(), test) == all.end()) all.push_back(test);
    }
  }
  return all;
}

int Rubric::points() const {
  int sum = 0;
  for (const Exercise& exercise : exercises) sum += exercise.points;
  return sum;
}

Rubric parse_rubric(std::string_view json, const std::string& name) {
  Rubric rubric;
  Json root;
  try {
    root = Json::parse(json);
  } catch (const Json::exception& error) {
    throw InputError(name + " is not valid JSON: " + error.what());
  }
  if (!root.is_object() || !root.contains("chapter") || !root["chapter"].is_string())
    throw InputError(name + ": names no chapter");
  if (!root.contains("exercises") || !root["exercises"].is_array())
    throw InputError(name + ": has no list of exercises");
  rubric.chapter = root["chapter"].get<std::string>();
  for (const Json& item : root["exercises"]) {
    Exercise exercise = ExerciseReader(item, name + ": exercise").read();
    if (rubric.find(exercise.id)) throw InputError(name + ": exercise " + exercise.id + " is listed twice");
    rubric.exercises.push_back(std::move(exercise));
  }
  for (const Exercise& exercise : rubric.exercises) {
    for (const std::string& needed : exercise.needs) {
      if (!rubric.find(needed))
        throw InputError(name + ": exercise " + exercise.id + " needs " + needed + ", which is not in the rubric");
    }
    if (rubric.depends(exercise.id, exercise.id))
      throw InputError(name + ": exercise " + exercise.id + " needs itself");
  }
  return rubric;
}

Rubric load_rubric(const Repository& repository, const std::string& chapter) {
  const auto file = repository.tests(chapter) / "rubric.json";
  Rubric rubric = parse_rubric(read_text(file), repository.shown(file));
  if (rubric.chapter != chapter)
    throw InputError(repository.shown(file) + ": names the chapter " + rubric.chapter + ", not " + chapter);
  return rubric;
}

ExerciseInChapter find_exercise(const Repository& repository, std::string_view id) {
  std::vector<std::string> ids;
  for (const std::string& chapter : repository.chapters()) {
    if (!std::filesystem::exists(repository.tests(chapter) / "rubric.json")) continue;
    Rubric rubric = load_rubric(repository, chapter);
    if (const Exercise* exercise = rubric.find(id)) {
      Exercise found = *exercise;
      return {std::move(rubric), std::move(found)};
    }
    for (const Exercise& exercise : rubric.exercises) ids.push_back(exercise.id);
  }
  throw InputError(unknown("exercise", id, ids));
}

}  // namespace waitless::course
