#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/course/system/repository.h"

namespace waitless::course {

struct TestGroup {
  std::string name;                // basic, edge, efficiency
  std::vector<std::string> tests;  // "Suite.Name"
};

struct Exercise {
  std::string id;  // "1.5", "C1.5"
  std::string title;
  std::vector<std::string> files;      // within the chapter, those that the student writes in
  std::vector<std::string> functions;  // that the student writes
  std::string track;                   // "cpu", "cuda", or a library that it needs, such as "mpi"
  int points = 0;
  bool is_optional = false;        // the chapter is done without it
  std::vector<std::string> needs;  // exercises of the chapter whose code this one calls
  std::vector<TestGroup> groups;

  std::vector<std::string> tests() const;
};

/// tests/NN_name/rubric.json: what earns the points of a chapter.
struct Rubric {
  std::string chapter;
  std::vector<Exercise> exercises;

  const Exercise* find(std::string_view id) const;
  /// Whether `exercise` needs `other`, directly or through others.
  bool depends(const std::string& exercise, const std::string& other) const;
  std::vector<std::string> tests() const;
  int points() const;
};

/// An exercise gives "file" or "files", "function" or "functions", and perhaps "optional": true.
/// @throws InputError "<name>: exercise 1.5 has no points"
Rubric parse_rubric(std::string_view json, const std::string& name);
Rubric load_rubric(const Repository& repository, const std::string& chapter);

struct ExerciseInChapter {
  Rubric rubric;
  Exercise exercise;
};
/// The exercise with this id in any chapter.
/// @throws InputError naming the nearest id
ExerciseInChapter find_exercise(const Repository& repository, std::string_view id);

}  // namespace waitless::course
