#include "common/tokenizer/pretokenizer.h"

#include <pcre2.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "common/tokenizer/utf8.h"

namespace waitless {
namespace {

// The characters with the Unicode property White_Space, for SPACES below. (PCRE2's \s adds U+180E.)
constexpr std::string_view kSpaces =
    R"(\t-\r\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";

// Contractions; letters, numbers or other characters, each with at most one space before it; white space. Of white
// space before a word the last character is left to the word.
constexpr const char* kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^SPACES\p{L}\p{N}]+|[SPACES]+(?![^SPACES])|[SPACES]+)";

// The same after every digit has been cut out: white space before a digit stands at the end of its piece.
constexpr const char* kSmollm =
    R"('s|'t|'re|'ve|'m|'ll|'d|\p{N}| ?\p{L}+| ?[^SPACES\p{L}\p{N}]+|[SPACES]+(?![^SPACES\p{N}])|[SPACES]+)";

using Pattern = pcre2_code;

/// @return the regular expression of that name, or an empty one
std::string find_expression(std::string_view name) {
  std::string expression = name == "gpt-2" ? kGpt2 : name == "smollm" ? kSmollm : "";
  constexpr std::string_view kPlaceholder = "SPACES";
  for (std::size_t at; (at = expression.find(kPlaceholder)) != expression.npos;) {
    expression.replace(at, kPlaceholder.size(), kSpaces);
  }
  return expression;
}

/// Appends the words of text that is valid UTF-8.
void split_valid(const Pattern* pattern, std::string_view text, std::vector<std::string_view>& words) {
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match(
      pcre2_match_data_create_from_pattern(pattern, nullptr), &pcre2_match_data_free);
  while (!text.empty()) {
    const int n_groups = pcre2_match(pattern, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0,
                                     PCRE2_NO_UTF_CHECK, match.get(), nullptr);
    // The alternatives cover every character, so only a lack of memory can end here.
    if (n_groups < 1) throw std::runtime_error("PCRE2 failed with error " + std::to_string(n_groups));
    const std::size_t end = pcre2_get_ovector_pointer(match.get())[1];
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

/// @return the length of the run of bytes at the beginning of `text` at which no valid character begins
std::size_t invalid_run(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && utf8_prefix(text.substr(n)).kind != Utf8Prefix::kCharacter) ++n;
  return n;
}

}  // namespace

bool Pretokenizer::knows(std::string_view name) { return !find_expression(name).empty(); }

Pretokenizer::Pretokenizer(std::string_view name) {
  const std::string expression = find_expression(name);
  if (expression.empty()) throw std::invalid_argument("unknown pre-tokenizer " + std::string(name));
  int error = 0;
  PCRE2_SIZE error_offset = 0;
  Pattern* pattern = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.c_str()), PCRE2_ZERO_TERMINATED,
                                   PCRE2_UTF | PCRE2_ANCHORED, &error, &error_offset, nullptr);
  if (pattern == nullptr) throw std::logic_error("PCRE2 cannot compile the expression of " + std::string(name));
  pattern_ = std::shared_ptr<const Pattern>(pattern, [](Pattern* p) { pcre2_code_free(p); });
  pcre2_jit_compile(pattern, PCRE2_JIT_COMPLETE);  // where it is not available, matching is interpreted
}

std::vector<std::string_view> Pretokenizer::split(std::string_view text) const {
  const auto* pattern = static_cast<const Pattern*>(pattern_.get());
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t n_valid = std::min(find_invalid_utf8(text), text.size());
    split_valid(pattern, text.substr(0, n_valid), words);
    text.remove_prefix(n_valid);
    const std::size_t n_invalid = invalid_run(text);
    if (n_invalid > 0) words.push_back(text.substr(0, n_invalid));
    text.remove_prefix(n_invalid);
  }
  return words;
}

}  // namespace waitless
