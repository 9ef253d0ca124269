#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/course/system/repository.h"

namespace waitless::course {

/// Builds a chapter's solution test with some files changed, from what the normal build left behind.
class MutantBuild {
 public:
  /// @param repository with NN_name_solution_test built
  MutantBuild(const Repository& repository, const std::string& chapter, const std::string& optimize);

  /// Parses the headers that CMake precompiled once more, at the optimization of the mutants: g++ compiles a file at
  /// that of its precompiled header. Worth its seconds for more than a few mutants of host code.
  /// @param folder where the result stays
  void precompile(const std::filesystem::path& folder);

  /// Compiles `files`, name in the chapter -> text, and links them with the other objects of the solution and the
  /// tests.
  /// @return the test program, somewhere below `folder`
  /// @throws InputError if they do not compile
  std::filesystem::path build(const std::map<std::string, std::string>& files,
                              const std::filesystem::path& folder) const;

 private:
  /// @return the object file
  std::filesystem::path compile(const std::string& name, const std::string& text,
                                const std::filesystem::path& folder) const;
  std::vector<std::string> compile_command(const std::string& file) const;

  Repository repository_;
  std::string chapter_, optimize_;
  std::map<std::string, std::vector<std::string>> compile_commands_;  // by file, as CMake wrote them
  std::vector<std::string> link_command_;
  std::string library_;  // the solution, as the link command names it
};

/// Words of a shell command; quotes and backslashes are undone.
std::vector<std::string> split_command(std::string_view command);

}  // namespace waitless::course
