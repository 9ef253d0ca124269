#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace waitless::course {

/// The whole file.
/// @throws InputError if it cannot be read
std::string read_text(const std::filesystem::path& file);

/// Writes through a temporary file beside `file`, so that an interruption leaves the old content or the new one.
/// Makes the folders above it.
/// @throws InputError if it cannot be written
void write_text(const std::filesystem::path& file, std::string_view text);

/// Lines without their line ends; a last line without one counts.
std::vector<std::string> split_lines(std::string_view text);

/// The words between separators; n separators make n + 1 words.
std::vector<std::string> split(std::string_view text, char separator);

std::string_view trim(std::string_view text);
bool starts_with_blank(std::string_view line);

/// Text of a program that is not ours, fit for a terminal: control characters other than line ends and tabs are written
/// out, as \\x1b.
std::string printable(std::string_view text);

std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// The candidate with the smallest edit distance from `word`; empty if there is none.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "there is no chapter '12'; the nearest is 02_kv_cache"
std::string unknown(std::string_view kind, std::string_view word, const std::vector<std::string>& candidates);

}  // namespace waitless::course
