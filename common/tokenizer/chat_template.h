#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace waitless {

/// Who speaks in a conversation.
enum class ChatRole { kSystem, kUser, kAssistant };

struct ChatTurn {
  ChatRole role;
  std::string text;
};

/// "system", "user" or "assistant"
const char* role_name(ChatRole role);

/// The tokens that mark the beginning and the end of a turn in ChatML.
inline constexpr std::string_view kTurnBegin = "<|im_start|>", kTurnEnd = "<|im_end|>";

/// A chat template is a program in the language Jinja that renders a list of messages. The course does not run it: it
/// recognises the programs that render ChatML,
///
///     <|im_start|>user
///     Are dogs real?<|im_end|>
///     <|im_start|>assistant
///
/// and finds the two things in which they differ: the system message for conversations that bring none, and whether the
/// token that begins a text stands before the first turn.
bool is_chatml(std::string_view chat_template);

/// @return the text of that system message, or nothing if the template has none
std::optional<std::string> default_system_message(std::string_view chat_template);

/// Whether the template itself writes the token that begins a text.
/// @param bos its name; "" if there is none
bool writes_bos(std::string_view chat_template, std::string_view bos);

}  // namespace waitless
