#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/error.h"
#include "common/course/system/repository.h"
#include "common/course/system/text.h"

namespace waitless::course {

/// A folder that is deleted at the end of a test. Its name has a space in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "waitless test XXXXXX").string();
    if (!mkdtemp(name.data())) throw InputError("cannot make a temporary folder");
    path_ = std::filesystem::canonical(name);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline const char* const kFakeRubric = R"({
  "chapter": "01_first",
  "exercises": [
    {"id": "1.1", "title": "twice", "file": "twice.cpp", "function": "twice", "track": "cpu", "points": 10,
     "tests": {"basic": ["Twice.DoublesTheNumber"], "edge": ["Twice.KeepsZero"]}},
    {"id": "1.2", "title": "four times", "file": "twice.cpp", "function": "four_times", "track": "cpu", "points": 5,
     "needs": ["1.1"], "tests": {"basic": ["FourTimes.DoublesTwice"]}}
  ]
}
)";

inline const char* const kFakeSolution = R"(#include "twice.h"

namespace fake {

int twice(int x) {
  // EXERCISE(1.1): double it.
  // SOLUTION_BEGIN(1.1)
  const int doubled_number_of_the_solution = 2 * x;
  return doubled_number_of_the_solution;
  // SOLUTION_END(1.1)
}

int four_times(int x) {
  // EXERCISE(1.2): use twice().
  // SOLUTION_BEGIN(1.2)
  return twice(twice(x));
  // SOLUTION_END(1.2)
}

}  // namespace fake
)";

/// A course with one chapter, 01_first.
struct FakeRepository {
  TemporaryFolder folder;
  Repository repository{folder.path(), folder / "build/default"};

  FakeRepository() {
    put("course", "");
    put("solutions/01_first/twice.cpp", kFakeSolution);
    put("solutions/01_first/twice.h", "#pragma once\nnamespace fake {\nint twice(int x);\nint four_times(int x);\n}\n");
    put("tests/01_first/rubric.json", kFakeRubric);
    put("chapters/01_first/README.md", "# First\n");
  }
  void put(const std::string& name, const std::string& text) { write_text(folder / name, text); }
  std::string get(const std::string& name) const { return read_text(folder / name); }
};

/// The message of the InputError that `action` throws; "" if it throws none.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace waitless::course
