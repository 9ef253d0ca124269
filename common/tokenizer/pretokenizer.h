#pragma once

#include <memory>
#include <string_view>
#include <vector>

namespace waitless {

/// Splits text into words. Byte-pair encoding merges within a word only, so this decides what can become a token.
/// Which characters are letters and digits is a question to Unicode, in the version that PCRE2 knows (14 in PCRE2
/// 10.42); the reference tokenizers know a few scripts' digits that were added since.
class Pretokenizer {
 public:
  /// @param name "gpt-2", or "smollm": the same, but every digit is a word of its own
  /// @throws std::invalid_argument for another name
  explicit Pretokenizer(std::string_view name);

  static bool knows(std::string_view name);

  /// @return consecutive pieces of `text` that together are all of it. Bytes that belong to no valid UTF-8
  ///         character form words of their own, one for each run of them; the text between two such runs is split as
  ///         if it stood alone.
  std::vector<std::string_view> split(std::string_view text) const;

 private:
  std::shared_ptr<const void> pattern_;  // a compiled regular expression of PCRE2
};

}  // namespace waitless
