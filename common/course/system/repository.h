#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace waitless::course {

/// Where things lie in a clone of the course.
struct Repository {
  std::filesystem::path root;
  std::filesystem::path build;  // of the preset in use

  /// The clone named by WAITLESS_ROOT, else the one that holds the current folder. WAITLESS_BUILD names another
  /// build folder than build/default.
  /// @throws InputError if there is none
  static Repository find();

  /// Names such as "01_naive_generation", in order: the folders of solutions/.
  std::vector<std::string> chapters() const;

  /// The chapter that "1", "01", "naive_generation" or "01_naive_generation" names.
  /// @throws InputError naming the nearest one
  std::string chapter(std::string_view name) const;

  std::filesystem::path solution(const std::string& chapter) const { return root / "solutions" / chapter; }
  std::filesystem::path starter(const std::string& chapter) const { return root / "chapters" / chapter; }
  std::filesystem::path tests(const std::string& chapter) const { return root / "tests" / chapter; }

  /// What the program remembers between calls: points, hints, results.
  std::filesystem::path memory() const { return root / "build" / "course"; }

  /// `file` relative to the clone, as messages show it.
  std::string shown(const std::filesystem::path& file) const;
};

}  // namespace waitless::course
