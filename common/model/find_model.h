#pragma once

#include <filesystem>
#include <string>

namespace waitless {

/// The model that programs and tests use unless told otherwise.
inline constexpr const char* kDefaultModel = "austen";

/// The file in cache_folder() that ./course fetch smollm2 leaves.
inline constexpr const char* kSmolLm2File = "SmolLM2-135M-Instruct.Q4_1.gguf";

/// The folder of this checkout: $WAITLESS_ROOT, or where it was built.
std::filesystem::path repository_root();

/// Where fetched models are kept: $WAITLESS_CACHE, $XDG_CACHE_HOME/waitless or ~/.cache/waitless.
std::filesystem::path cache_folder();

/// The file of a model: "austen" and "austen-draft" ship with the course, "smollm2" is fetched, anything else is a
/// path.
/// @throws InputError saying how to get it if there is no such file
std::filesystem::path find_model(const std::string& name);

/// A text that ships with the course, "austen-validation" or "austen-test", whole.
/// @throws InputError naming the file if it cannot be read
std::string read_course_text(const std::string& name);

}  // namespace waitless
