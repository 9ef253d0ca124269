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

const char* role_name(ChatRole role) {
  return role == ChatRole::kSystem ? "system" : role == ChatRole::kUser ? "user" : "assistant";
}

bool is_chatml(std::string_view chat_template) {
  for (const std::string_view part :
       {kTurnBegin, kTurnEnd, std::string_view("add_generation_prompt"), std::string_view("assistant")}) {
    if (chat_template.find(part) == chat_template.npos) return false;
  }
  return true;
}

std::optional<std::string> default_system_message(std::string_view chat_template) {
  const std::string begin = std::string(kTurnBegin) + "system";
  std::string_view rest = chat_template;
  for (std::size_t at; (at = rest.find(begin)) != rest.npos;) {
    rest.remove_prefix(at + begin.size());
    std::string_view message = rest;
    if (!remove_line_end(message)) continue;
    message = message.substr(0, message.find(kTurnEnd));
    // A quote ends the string of the program: what follows is the message of somebody else, not a default.
    if (message.find_first_of("'\"") == message.npos) return std::string(message);
  }
  return std::nullopt;
}

bool writes_bos(std::string_view chat_template, std::string_view bos) {
  const std::string_view before_turns = chat_template.substr(0, chat_template.find(kTurnBegin));
  const auto has = [&](std::string_view text) { return !text.empty() && before_turns.find(text) != text.npos; };
  return has("bos_token") || has(bos);
}

}  // namespace waitless
