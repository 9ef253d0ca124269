#pragma once

#include <array>
#include <string>
#include <vector>

#include "common/tokenizer/bpe.h"
#include "common/tokenizer/pretokenizer.h"

namespace waitless {

class GgufFile;

constexpr int kNoToken = -1;

/// A token that is recognised by its name in a text, instead of being merged from bytes.
struct NamedToken {
  std::string name;
  int token;
  bool is_special;  // false: the author of the vocabulary wants it recognised in all text
};

/// What the metadata of a file says about its tokens. Immutable, shared by the copies of a Tokenizer.
struct Vocabulary {
  std::vector<std::string> bytes;       // [vocab_size] what each token stands for; a special token's name
  std::vector<bool> is_special;         // [vocab_size]
  std::array<int, 256> byte_tokens;     // the token of every single byte; kNoToken if the vocabulary lacks it
  std::vector<NamedToken> named;        // longest first
  std::array<bool, 256> begins_name{};  // whether a name begins with that byte
  MergeTable merges;
  Pretokenizer pretokenizer{"gpt-2"};
  int bos = kNoToken;       // begins every text
  int chat_bos = kNoToken;  // begins every conversation, before the mark of its first turn
  std::vector<int> stop_tokens;
  std::string chat_template;  // empty if the file has none

  int size() const { return int(bytes.size()); }

  /// @return the special token of that name, or kNoToken
  int find_special(std::string_view name) const;
};

/// @throws InputError naming what is missing, inconsistent or unsupported
Vocabulary read_vocabulary(const GgufFile& file);

}  // namespace waitless
