#pragma once

#include <string>
#include <string_view>

namespace waitless {

/// For messages: text from outside between quotes, on one line, harmless to a terminal and at most ~64 characters
/// long. Bytes that are not printable ASCII are written in hexadecimal.
inline std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  std::string out = "\"";
  for (const unsigned char c : text.substr(0, kLongest)) {
    if (c >= 0x20 && c < 0x7f) {
      out += char(c);
    } else {
      const char* digits = "0123456789abcdef";
      out += {'\\', 'x', digits[c >> 4], digits[c & 15]};
    }
  }
  return out + (text.size() > kLongest ? "...\"" : "\"");
}

}  // namespace waitless
