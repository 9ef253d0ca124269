#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/tokenizer/chat_template.h"

namespace waitless {

class GgufFile;
struct Vocabulary;

/// Whether text such as "<|im_start|>" stands for the special token of that name or for its characters. Text that
/// a user typed is kPlain: it must not be able to end a turn.
enum class SpecialTokens { kPlain, kParse };

/// Byte-level byte-pair encoding with the vocabulary of a GGUF file. decode(encode(text)) == text, also where the text
/// is not valid UTF-8, as long as the vocabulary has a token for each of its bytes. Not all have: SmolLM2's lacks 21
/// bytes that its training text did not hold (among them 04, 06 and FF).
/// Source: Sennrich et al. 2016; Radford et al. 2019 (GPT-2) for the bytes and the splitting into words.
class Tokenizer {
 public:
  /// Supports tokenizer.ggml.model "gpt2" with the pre-tokenizers "gpt-2" and "smollm".
  /// @throws InputError naming what is missing, inconsistent or unsupported
  static Tokenizer from_gguf(const GgufFile& file);

  /// A byte for which the vocabulary has no token is left out, as the reference tokenizers do.
  std::vector<int> encode(std::string_view text, SpecialTokens special = SpecialTokens::kPlain) const;

  /// @return the offset of the first byte for which the vocabulary has no token, or std::string_view::npos
  std::size_t find_unencodable(std::string_view text) const;

  std::string decode(std::span<const int> tokens) const;

  /// The bytes that a token stands for; a special token's name. It may end in the middle of a character.
  /// @throws std::out_of_range naming the token unless 0 <= token < vocab_size()
  const std::string& bytes(int token) const;

  int vocab_size() const;
  bool is_special(int token) const;

  /// The token that starts a text, or -1 if the model wants none.
  int bos() const;
  /// The tokens that end a text or a turn.
  const std::vector<int>& stop_tokens() const;

  /// A conversation in the chat format of the file, ready for the assistant's answer. If it does not begin with a turn
  /// of the system, it gets the one that the file brings, if any.
  /// @throws InputError if the file carries no chat template, or one that is not ChatML, if a byte of a turn has no
  ///         token, or if the last turn is not the user's
  std::vector<int> encode_chat(std::span<const ChatTurn> turns) const;
  /// One message of the user.
  std::vector<int> encode_chat(std::string_view user_message) const;

  /// A text to be continued: encode(text), after bos() if the model wants one.
  /// @throws InputError if a byte of the text has no token
  std::vector<int> encode_prompt(std::string_view text) const;

 private:
  void require_encodable(std::string_view text) const;

  std::shared_ptr<const Vocabulary> vocabulary_;
};

}  // namespace waitless
