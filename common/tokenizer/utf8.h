#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace waitless {

/// @return the offset of the first byte that is not part of valid UTF-8, or std::string_view::npos
std::size_t find_invalid_utf8(std::string_view text);

/// Turns a stream of byte strings into a stream of whole characters. Tokens may end in the middle of a character;
/// a terminal must not be sent half of one.
class Utf8Stream {
 public:
  /// Takes the next bytes.
  /// @return all characters that are complete by now; bytes that can never become one come out as U+FFFD
  std::string push(std::string_view bytes);

  /// Ends the stream.
  /// @return U+FFFD if an incomplete character was pending, else nothing
  std::string finish();

 private:
  std::string pending_;  // 0 to 3 bytes: the beginning of a character
};

}  // namespace waitless
