#include "common/course/system/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace waitless::course {
namespace {

std::string coloured(const char* code, std::string_view text) {
  if (!colour_enabled()) return std::string(text);
  return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

template <class... Values>
std::string formatted(const char* format, Values... values) {
  char text[64];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

}  // namespace

bool is_terminal() { return isatty(STDOUT_FILENO) == 1; }

bool colour_enabled() {
  static const bool enabled = [] {
    const char* no_color = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    return is_terminal() && !(no_color && *no_color) && !(term && std::strcmp(term, "dumb") == 0);
  }();
  return enabled;
}

std::string bold(std::string_view text) { return coloured("1", text); }
std::string dim(std::string_view text) { return coloured("2", text); }
std::string green(std::string_view text) { return coloured("32", text); }
std::string red(std::string_view text) { return coloured("31", text); }
std::string yellow(std::string_view text) { return coloured("33", text); }

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033')
      i = std::min(text.find('m', i), text.size());
    else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80)
      ++width;
  }
  return width;
}

std::string padded(std::string_view text, std::size_t width, bool right) {
  const std::size_t used = display_width(text);
  const std::string spaces(used < width ? width - used : 0, ' ');
  return right ? spaces + std::string(text) : std::string(text) + spaces;
}

std::string table(const std::vector<std::vector<std::string>>& rows, const std::vector<std::size_t>& right) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(row[c]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool is_right = std::find(right.begin(), right.end(), c) != right.end();
      if (c > 0) line += "  ";
      line += padded(row[c], widths[c], is_right);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string bytes_text(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit < 4; ++unit) bytes /= 1000;
  return formatted(unit == 0 || bytes >= 100 ? "%.0f %s" : bytes >= 10 ? "%.1f %s" : "%.2f %s", bytes, units[unit]);
}

std::string seconds_text(double seconds) {
  if (seconds < 10) return formatted("%.1f s", seconds);
  if (seconds < 99.5) return formatted("%.0f s", seconds);
  const long rounded = long(seconds + 0.5);
  return formatted("%ld min %ld s", rounded / 60, rounded % 60);
}

}  // namespace waitless::course
