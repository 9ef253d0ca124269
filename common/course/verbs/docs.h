#pragma once

#include <filesystem>
#include <string>

#include "common/course/system/repository.h"

namespace waitless::course {

bool has_doxygen();

/// Builds the documentation.
/// @return its first page
/// @throws InputError with Doxygen's warnings, which are errors, or naming pictures that pages show and the checkout
/// lacks
std::filesystem::path build_docs(const Repository& repository);

}  // namespace waitless::course
