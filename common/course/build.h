#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/course/repository.h"

namespace waitless::course {

/// The compiler or linker refused; what() holds their messages.
class BuildFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Builds CMake targets in repository.build, with one line of progress.
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

/// The value of a variable in the CMake cache of a build folder; empty if it has none.
std::string cache_value(const std::filesystem::path& build, const std::string& variable);

/// The same repository with a build folder in which every chapter stands on the student's earlier chapters.
/// Chapter 00 and 01 stand on none, so they need no build of their own.
Repository with_mine(const Repository& repository, const std::string& chapter);

}  // namespace waitless::course
