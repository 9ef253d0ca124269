#pragma once

#include <string>
#include <vector>

#include "common/course/system/repository.h"

namespace waitless::course {

/// Begins the chapter `name`, "03_roofline": writes the files of common/course/template into solutions/, chapters/ and
/// tests/, generates the starter, and adds a line to CMakeLists.txt. If anything goes wrong, nothing stays written.
/// @param needs earlier chapters that it is built on
/// @return the files written, relative to the repository
/// @throws InputError if the name is not NN_word, or that chapter or one with its number exists
std::vector<std::string> new_chapter(const Repository& repository, const std::string& name,
                                     const std::vector<std::string>& needs);

}  // namespace waitless::course
