#pragma once

#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/course/system/repository.h"

namespace waitless::course {

/// The compiler or linker refused; what() holds their messages.
class BuildFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Builds CMake targets in repository.build, with one line of progress. Where nothing can be written, programs that are
/// there already will do.
/// @throws BuildFailed
/// @throws InputError if one of them does not exist
void build_targets(const Repository& repository, const std::vector<std::string>& targets);

/// Builds everything.
void build_all(const Repository& repository);

/// Names of the executables that CMake knows, without their folders.
std::vector<std::string> executable_targets(const Repository& repository);

/// The file that a target was built into.
/// @throws InputError if there is none
std::filesystem::path executable(const Repository& repository, const std::string& target);

/// What add_chapter() in CMakeLists.txt says of a chapter, and what this machine makes of it.
struct ChapterBuild {
  std::vector<std::string> needs;            // earlier chapters that it is built on
  std::map<std::string, std::string> lacks;  // library that this machine lacks -> package that brings it
  std::vector<std::string> launcher;         // words in front of its program and tests; none for a single process
};
ChapterBuild chapter_build(const Repository& repository, const std::string& chapter);

/// The words that start a built program of a chapter, without its arguments.
/// @throws InputError as executable()
std::vector<std::string> start_command(const Repository& repository, const std::string& target);

/// The value of a variable in the CMake cache of a build folder; empty if it has none.
std::string cache_value(const std::filesystem::path& build, const std::string& variable);

/// Makes CMake begin anew in a build folder that it has set up before the repository was moved.
void forget_other_place(const Repository& repository);

/// The same repository with a build folder in which every chapter stands on the student's earlier chapters.
/// A chapter that needs none has no build of its own.
Repository with_mine(const Repository& repository, const std::string& chapter);

}  // namespace waitless::course
