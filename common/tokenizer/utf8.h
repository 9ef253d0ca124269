#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace waitless {

/// What stands at the beginning of a byte string.
struct Utf8Prefix {
  enum Kind {
    kCharacter,   // a character in valid UTF-8
    kIncomplete,  // the beginning of one, where the string ends
    kInvalid,     // bytes that cannot begin any character
  };
  Kind kind;
  std::size_t n_bytes;  // 1 to 4; of an invalid prefix as many as look like one broken character
};

/// Looks at the first bytes of `text`, which must not be empty. Valid is what the Unicode standard (table 3-7) calls
/// well-formed: no overlong forms, no surrogates, nothing above U+10FFFF.
Utf8Prefix utf8_prefix(std::string_view text);

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
