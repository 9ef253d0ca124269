#include "common/tokenizer/utf8.h"

namespace waitless {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// What a first byte demands of the bytes after it.
struct LeadByte {
  std::size_t n_bytes;      // of the whole character; 0: no character begins with this byte
  unsigned char low, high;  // range of the second byte; the others are 80..BF
};

/// Table 3-7 of the Unicode standard. The narrowed ranges exclude overlong forms (E0, F0), surrogates (ED) and
/// numbers above U+10FFFF (F4).
LeadByte lead_byte(unsigned char c) {
  if (c < 0x80) return {1, 0, 0};
  if (c < 0xC2) return {0, 0, 0};
  if (c < 0xE0) return {2, 0x80, 0xBF};
  if (c == 0xE0) return {3, 0xA0, 0xBF};
  if (c == 0xED) return {3, 0x80, 0x9F};
  if (c < 0xF0) return {3, 0x80, 0xBF};
  if (c == 0xF0) return {4, 0x90, 0xBF};
  if (c < 0xF4) return {4, 0x80, 0xBF};
  if (c == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

Utf8Prefix utf8_prefix(std::string_view text) {
  const LeadByte lead = lead_byte(static_cast<unsigned char>(text[0]));
  if (lead.n_bytes == 0) return {Utf8Prefix::kInvalid, 1};
  for (std::size_t i = 1; i < lead.n_bytes; ++i) {
    if (i == text.size()) return {Utf8Prefix::kIncomplete, i};
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < (i == 1 ? lead.low : 0x80) || c > (i == 1 ? lead.high : 0xBF)) return {Utf8Prefix::kInvalid, i};
  }
  return {Utf8Prefix::kCharacter, lead.n_bytes};
}

std::size_t find_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Prefix prefix = utf8_prefix(text.substr(i));
    if (prefix.kind != Utf8Prefix::kCharacter) return i;
    i += prefix.n_bytes;
  }
  return std::string_view::npos;
}

std::string Utf8Stream::push(std::string_view bytes) {
  pending_ += bytes;
  std::string_view rest = pending_;
  std::string out;
  while (!rest.empty()) {
    const Utf8Prefix prefix = utf8_prefix(rest);
    if (prefix.kind == Utf8Prefix::kIncomplete) break;
    if (prefix.kind == Utf8Prefix::kCharacter) {
      out += rest.substr(0, prefix.n_bytes);
    } else {
      out += kReplacement;
    }
    rest.remove_prefix(prefix.n_bytes);
  }
  pending_ = std::string(rest);
  return out;
}

std::string Utf8Stream::finish() {
  const bool incomplete = !pending_.empty();
  pending_.clear();
  return incomplete ? kReplacement : "";
}

}  // namespace waitless
