#include "common/course/system/text.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>

#include "common/base/error.h"

namespace waitless::course {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

[[noreturn]] void fail(const char* what, const std::filesystem::path& file) {
  throw InputError("cannot " + std::string(what) + " " + file.string() + ": " + std::strerror(errno));
}

}  // namespace

std::string read_text(const std::filesystem::path& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) fail("read", file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad() || std::filesystem::is_directory(file)) fail("read", file);
  return text;
}

void write_text(const std::filesystem::path& file, std::string_view text) {
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  std::filesystem::path temporary = file;
  temporary += ".new" + std::to_string(getpid());
  errno = 0;
  std::ofstream out(temporary, std::ios::binary);
  out.write(text.data(), std::streamsize(text.size()));
  out.close();
  if (!out || std::rename(temporary.c_str(), file.c_str()) != 0) {
    const int error = errno;
    std::filesystem::remove(temporary, ignored);
    errno = error;
    fail("write", file);
  }
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (!lines.back().empty() && lines.back().back() == '\r') lines.back().pop_back();
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t end = text.find(separator);
    words.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool starts_with_blank(std::string_view line) { return !line.empty() && (line[0] == ' ' || line[0] == '\t'); }

std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= 32 && byte != 127) || c == '\n' || c == '\t') {
      result += c;
      continue;
    }
    char code[5];
    std::snprintf(code, sizeof code, "\\x%02x", unsigned(byte));
    result += code;
  }
  return result;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) joined += separator;
    joined += parts[i];
  }
  return joined;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const auto closer = [&](const std::string& a, const std::string& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  };
  const auto best = std::min_element(candidates.begin(), candidates.end(), closer);
  return best == candidates.end() ? std::string() : *best;
}

std::string unknown(std::string_view kind, std::string_view word, const std::vector<std::string>& candidates) {
  std::string message = "there is no " + std::string(kind) + " '" + std::string(word) + "'";
  const std::string best = nearest(word, candidates);
  return best.empty() ? message : message + "; the nearest is " + best;
}

}  // namespace waitless::course
