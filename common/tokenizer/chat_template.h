#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace waitless {

/// A chat template is a program in the language Jinja that renders a list of messages. The course does not run it: it
/// recognises the programs that render ChatML,
///
///     <|im_start|>user
///     Are dogs real?<|im_end|>
///     <|im_start|>assistant
///
/// and finds the one thing in which they differ, the system message for conversations that bring none.
bool is_chatml(std::string_view chat_template);

/// @return the text of that system message, or nothing if the template has none
std::optional<std::string> default_system_message(std::string_view chat_template);

}  // namespace waitless
