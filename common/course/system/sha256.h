#pragma once

#include <filesystem>
#include <map>
#include <vector>

namespace waitless::course {

/// SHA-256 of each file, in hexadecimal, by the system's sha256sum (shasum on macOS).
/// @throws InputError if a file cannot be read or neither program exists
std::map<std::filesystem::path, std::string> sha256(const std::vector<std::filesystem::path>& files);

}  // namespace waitless::course
