#include "common/tokenizer/tokenizer.h"

#include <stdexcept>

#include "common/base/error.h"
#include "common/base/quote.h"
#include "common/tokenizer/chat_template.h"
#include "common/tokenizer/vocabulary.h"

namespace waitless {
namespace {

/// @return the longest named token that `text` begins with and that may be recognised in it, or nullptr
const NamedToken* match_named(const Vocabulary& vocabulary, std::string_view text, SpecialTokens special) {
  if (!vocabulary.begins_name[static_cast<unsigned char>(text[0])]) return nullptr;
  for (const NamedToken& it : vocabulary.named) {  // longest first
    if (it.is_special && special == SpecialTokens::kPlain) continue;
    if (text.starts_with(it.name)) return &it;
  }
  return nullptr;
}

/// Appends the tokens of text in which no names are recognised.
void encode_words(const Vocabulary& vocabulary, std::string_view text, std::vector<int>& tokens) {
  std::vector<int> word_tokens;
  for (const std::string_view word : vocabulary.pretokenizer.split(text)) {
    word_tokens.clear();
    for (const unsigned char byte : word) {
      const int token = vocabulary.byte_tokens[byte];
      if (token != kNoToken) word_tokens.push_back(token);
    }
    vocabulary.merges.apply(word_tokens);
    tokens.insert(tokens.end(), word_tokens.begin(), word_tokens.end());
  }
}

}  // namespace

Tokenizer Tokenizer::from_gguf(const GgufFile& file) {
  Tokenizer tokenizer;
  tokenizer.vocabulary_ = std::make_shared<const Vocabulary>(read_vocabulary(file));
  return tokenizer;
}

std::vector<int> Tokenizer::encode(std::string_view text, SpecialTokens special) const {
  std::vector<int> tokens;
  std::size_t begin = 0;  // of the text before the next named token
  for (std::size_t at = 0; at < text.size();) {
    const NamedToken* named = match_named(*vocabulary_, text.substr(at), special);
    if (named == nullptr) {
      ++at;
      continue;
    }
    encode_words(*vocabulary_, text.substr(begin, at - begin), tokens);
    tokens.push_back(named->token);
    at += named->name.size();
    begin = at;
  }
  encode_words(*vocabulary_, text.substr(begin), tokens);
  return tokens;
}

std::string Tokenizer::decode(std::span<const int> tokens) const {
  std::string text;
  for (const int token : tokens) text += bytes(token);
  return text;
}

const std::string& Tokenizer::bytes(int token) const {
  if (token < 0 || token >= vocab_size()) {
    throw std::out_of_range("token " + std::to_string(token) + " is outside the vocabulary of " +
                            std::to_string(vocab_size()));
  }
  return vocabulary_->bytes[std::size_t(token)];
}

int Tokenizer::vocab_size() const { return vocabulary_->size(); }

bool Tokenizer::is_special(int token) const {
  bytes(token);  // checks the range
  return vocabulary_->is_special[std::size_t(token)];
}

int Tokenizer::bos() const { return vocabulary_->bos; }

const std::vector<int>& Tokenizer::stop_tokens() const { return vocabulary_->stop_tokens; }

std::size_t Tokenizer::find_unencodable(std::string_view text) const {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (vocabulary_->byte_tokens[static_cast<unsigned char>(text[i])] == kNoToken) return i;
  }
  return std::string_view::npos;
}

void Tokenizer::require_encodable(std::string_view text) const {
  const std::size_t at = find_unencodable(text);
  if (at == std::string_view::npos) return;
  throw InputError("the text holds " + in_quotes(text.substr(at, 1)) + " at byte " + std::to_string(at) +
                   ", for which the model's vocabulary has no token");
}

std::vector<int> Tokenizer::encode_prompt(std::string_view text) const {
  require_encodable(text);
  std::vector<int> tokens = encode(text);
  if (bos() >= 0) tokens.insert(tokens.begin(), bos());
  return tokens;
}

std::vector<int> Tokenizer::encode_chat(std::string_view user_message) const {
  const ChatTurn turn{ChatRole::kUser, std::string(user_message)};
  return encode_chat(std::span(&turn, 1));
}

std::vector<int> Tokenizer::encode_chat(std::span<const ChatTurn> turns) const {
  for (const ChatTurn& turn : turns) require_encodable(turn.text);
  const int turn_begin = vocabulary_->find_special(kTurnBegin), turn_end = vocabulary_->find_special(kTurnEnd);
  const std::string& source = vocabulary_->chat_template;
  if (source.empty()) throw InputError("the model's file carries no chat template; it continues text only");
  if (!is_chatml(source) || turn_begin == kNoToken || turn_end == kNoToken) {
    throw InputError("the model's chat template is not ChatML, the only one that is supported");
  }
  if (turns.empty() || turns.back().role != ChatRole::kUser) {
    throw InputError("the last turn of a conversation must be the user's, so that there is something to answer");
  }

  std::vector<int> tokens;
  if (vocabulary_->chat_bos != kNoToken) tokens.push_back(vocabulary_->chat_bos);
  const auto append = [&](std::string_view text) {
    const std::vector<int> more = encode(text);
    tokens.insert(tokens.end(), more.begin(), more.end());
  };
  // The role and the message are one text: a word may reach over the line end between them.
  const auto append_turn = [&](ChatRole role, std::string_view text) {
    tokens.push_back(turn_begin);
    append(std::string(role_name(role)) + "\n" + std::string(text));
    tokens.push_back(turn_end);
    append("\n");
  };
  if (turns[0].role != ChatRole::kSystem) {
    if (const auto system = default_system_message(source)) append_turn(ChatRole::kSystem, *system);
  }
  for (const ChatTurn& turn : turns) append_turn(turn.role, turn.text);
  tokens.push_back(turn_begin);
  append(std::string(role_name(ChatRole::kAssistant)) + "\n");
  return tokens;
}

}  // namespace waitless
