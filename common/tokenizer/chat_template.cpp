#include "common/tokenizer/chat_template.h"

namespace waitless {
namespace {

/// Removes a line end from the beginning of `text`, as itself or as Jinja's escape for it.
bool remove_line_end(std::string_view& text) {
  for (const std::string_view line_end : {"\n", "\\n"}) {
    if (!text.starts_with(line_end)) continue;
    text.remove_prefix(line_end.size());
    return true;
  }
  return false;
}

}  // namespace

bool is_chatml(std::string_view chat_template) {
  for (const char* part : {"<|im_start|>", "<|im_end|>", "add_generation_prompt", "assistant"}) {
    if (chat_template.find(part) == chat_template.npos) return false;
  }
  return true;
}

std::optional<std::string> default_system_message(std::string_view chat_template) {
  constexpr std::string_view kBegin = "<|im_start|>system", kEnd = "<|im_end|>";
  std::string_view rest = chat_template;
  for (std::size_t at; (at = rest.find(kBegin)) != rest.npos;) {
    rest.remove_prefix(at + kBegin.size());
    std::string_view message = rest;
    if (!remove_line_end(message)) continue;
    message = message.substr(0, message.find(kEnd));
    // A quote ends the string of the program: what follows is the message of somebody else, not a default.
    if (message.find_first_of("'\"") == message.npos) return std::string(message);
  }
  return std::nullopt;
}

}  // namespace waitless
