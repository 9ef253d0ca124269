#include "common/run/session.h"

#include <cstdint>
#include <fstream>
#include <utility>

#include "common/base/error.h"
#include "common/tokenizer/utf8.h"

namespace waitless {
namespace {

constexpr const char* kDefaultPrompt = "It is a truth universally acknowledged";
constexpr int kMany = 1'000'000'000;

void check_text(const std::string& text, const std::string& what) {
  if (text.empty()) throw InputError(what + " is empty: give it some text");
  const std::size_t bad = find_invalid_utf8(text);
  if (bad == std::string::npos) return;
  throw InputError(what + " is not valid UTF-8: its byte " + std::to_string(bad) + " cannot stand there");
}

/// The lines of a file that are not empty.
std::vector<std::string> read_prompts(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) throw InputError("cannot read the prompts in " + name);
  std::vector<std::string> prompts;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) prompts.push_back(line);
  }
  if (prompts.empty()) throw InputError("there is no prompt in " + name + ": write one a line");
  return prompts;
}

}  // namespace

void SessionOptions::add_to(ProgramOptions& program) {
  program.model("--model", model, "which model");
  program.text("text", plain_prompt, "text to continue, as with --prompt");
  program.texts("--prompt", prompts, "text to continue; may be given several times");
  program.text("--prompts", prompts_file, "a file of texts to continue, one a line");
  program.text("--chat", chat, "a message to answer instead, in the model's chat format");
  program.text("--system", system, "with --chat: what the model is told before the message");
  program.whole_number("--max-tokens,-n", options.max_tokens, 1, kMany, "how many tokens at most, for each prompt");
  program.number("--temperature", options.sampling.temperature, {.from = 0}, "0: always the most likely token");
  program.whole_number("--top-k", options.sampling.top_k, 0, kMany, "draw among the k most likely tokens; 0: all");
  program.number("--top-p", options.sampling.top_p, {.from = 0, .to = 1, .is_above = true},
                 "draw among the most likely tokens that together reach p");
  program.whole_number("--seed", options.seed, 0, UINT64_MAX, "of the draws");
}

std::vector<std::string> SessionOptions::texts() const {
  std::vector<std::string> texts;
  if (plain_prompt) texts.push_back(*plain_prompt);
  texts.insert(texts.end(), prompts.begin(), prompts.end());
  if (!prompts_file.empty()) {
    const std::vector<std::string> lines = read_prompts(prompts_file);
    texts.insert(texts.end(), lines.begin(), lines.end());
  }
  if (system && !chat) throw InputError("--system requires --chat");
  if (chat) {
    if (!texts.empty()) throw InputError("--chat excludes --prompt and other texts to continue");
    check_text(*chat, "the message of --chat");
    if (system) check_text(*system, "the text of --system");
    return {};
  }
  if (texts.empty()) texts.push_back(kDefaultPrompt);
  for (const std::string& text : texts) check_text(text, "the prompt");
  return texts;
}

Session SessionOptions::open() {
  Session session{.model = std::move(model.model), .tokenizer = std::move(model.tokenizer), .options = options};
  for (const std::string& text : texts()) session.prompts.push_back({text, session.tokenizer.encode_prompt(text)});
  if (!chat) return session;
  std::vector<ChatTurn> turns;
  if (system) turns.push_back({ChatRole::kSystem, *system});
  turns.push_back({ChatRole::kUser, *chat});
  session.prompts.push_back({.tokens = session.tokenizer.encode_chat(turns)});
  return session;
}

}  // namespace waitless
