#include "common/tokenizer/vocabulary.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "common/base/quote.h"
#include "common/model/gguf.h"
#include "common/tokenizer/chat_template.h"
#include "common/tokenizer/utf8.h"

namespace waitless {
namespace {

constexpr std::string_view kTextEnd = "<|endoftext|>";

/// The codes that the file uses for kinds of tokens.
enum TokenType : std::int64_t { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5 };

/// GPT-2's alphabet: it writes every byte as one printable character, so that tokens can be listed as text. The 188
/// printable characters of Latin-1 stand for themselves; the other bytes take U+0100, U+0101, ... in order.
class ByteAlphabet {
 public:
  ByteAlphabet() {
    bytes_.fill(-1);
    int next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const bool printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte != 0xad);
      bytes_[std::size_t(printable ? byte : next++)] = byte;
    }
  }

  /// @return whether every character of `text` stands for a byte; those bytes are written to `out`
  bool decode(std::string_view text, std::string& out) const {
    out.clear();
    while (!text.empty()) {
      const Utf8Prefix prefix = utf8_prefix(text);
      if (prefix.kind != Utf8Prefix::kCharacter || prefix.n_bytes > 2) return false;
      unsigned code_point = static_cast<unsigned char>(text[0]);
      if (prefix.n_bytes == 2) code_point = (code_point & 0x1f) << 6 | (static_cast<unsigned char>(text[1]) & 0x3f);
      if (code_point >= bytes_.size() || bytes_[code_point] < 0) return false;
      out += char(bytes_[code_point]);
      text.remove_prefix(prefix.n_bytes);
    }
    return true;
  }

 private:
  std::array<int, 0x100 + 68> bytes_;  // by code point; -1: stands for no byte
};

/// The ids of the tokens that merges can name.
using TokenIds = std::unordered_map<std::string_view, int>;

/// Tokens that mark turns and the end of a text. Some files call them user-defined, that is, text like any other; they
/// are special all the same: a message that spells one must not end its turn.
bool is_mark(std::string_view name) { return name == kTurnBegin || name == kTurnEnd || name == kTextEnd; }

/// Reads names, kinds and bytes of all tokens.
/// @param names [vocab_size], as in the file; must outlive the result
TokenIds read_tokens(const GgufFile& file, const std::vector<std::string>& names, Vocabulary& vocabulary) {
  const auto& types = file.get<std::vector<std::int64_t>>("tokenizer.ggml.token_type");
  if (names.empty()) file.fail("has a vocabulary without tokens");
  if (types.size() != names.size()) {
    file.fail("lists " + std::to_string(names.size()) + " tokens, but " + std::to_string(types.size()) +
              " kinds of tokens");
  }
  const ByteAlphabet alphabet;
  vocabulary.byte_tokens.fill(kNoToken);
  TokenIds all, mergeable;
  for (int token = 0; token < int(names.size()); ++token) {
    const std::string& name = names[token];
    const std::int64_t type = types[token];
    const std::string id = std::to_string(token);
    if (name.empty()) file.fail("token " + id + " has no characters");
    const auto [same, is_new] = all.emplace(name, token);
    if (!is_new) {
      file.fail("tokens " + std::to_string(same->second) + " and " + id + " are both " + in_quotes(name));
    }

    const bool is_special = type == kUnknown || type == kControl || (type == kUserDefined && is_mark(name));
    std::string bytes = name;
    if (type == kNormal) {
      if (!alphabet.decode(name, bytes)) {
        file.fail("token " + id + ", " + in_quotes(name) + ", holds a character that stands for no byte");
      }
      if (bytes.size() == 1) vocabulary.byte_tokens[static_cast<unsigned char>(bytes[0])] = token;
      mergeable.emplace(name, token);
    } else if (is_special || type == kUserDefined) {
      vocabulary.named.push_back({name, token, is_special});
      vocabulary.begins_name[static_cast<unsigned char>(name[0])] = true;
    } else if (type != kUnused) {
      file.fail("token " + id + " is of kind " + std::to_string(type) + ", which byte-level BPE does not have");
    }
    vocabulary.bytes.push_back(std::move(bytes));
    vocabulary.is_special.push_back(is_special || type == kUnused);
  }
  std::stable_sort(vocabulary.named.begin(), vocabulary.named.end(),
                   [](const NamedToken& a, const NamedToken& b) { return a.name.size() > b.name.size(); });
  return mergeable;
}

/// Reads the merges, "left right" each, in order of rank.
void read_merges(const GgufFile& file, const TokenIds& ids, MergeTable& merges) {
  const auto& lines = file.get<std::vector<std::string>>("tokenizer.ggml.merges");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto fail = [&](const std::string& reason) {
      file.fail("merge " + std::to_string(i) + ", " + in_quotes(lines[i]) + ", " + reason);
    };
    const std::string_view line = lines[i];
    const std::size_t space = line.find(' ');
    if (space == line.npos) fail("does not name two tokens");
    const auto left = ids.find(line.substr(0, space)), right = ids.find(line.substr(space + 1));
    const auto merged = ids.find(std::string(line.substr(0, space)) + std::string(line.substr(space + 1)));
    if (left == ids.end() || right == ids.end()) fail("merges something that is no token");
    if (merged == ids.end()) fail("makes something that is no token");
    if (!merges.add(left->second, right->second, merged->second)) fail("appears twice");
  }
}

int read_token_id(const GgufFile& file, const std::string& key, int vocab_size) {
  const std::int64_t token = file.get<std::int64_t>(key);
  if (token < 0 || token >= vocab_size) {
    file.fail("metadata " + in_quotes(key) + " is " + std::to_string(token) + ", but there are " +
              std::to_string(vocab_size) + " tokens");
  }
  return int(token);
}

/// The file names the token that ends a text and perhaps one that ends a turn; chat models of the ChatML family end
/// their turns by name.
std::vector<int> read_stop_tokens(const GgufFile& file, const Vocabulary& vocabulary) {
  std::vector<int> stops = {read_token_id(file, "tokenizer.ggml.eos_token_id", vocabulary.size())};
  const auto add = [&](int token) {
    if (token != kNoToken && std::find(stops.begin(), stops.end(), token) == stops.end()) stops.push_back(token);
  };
  const std::string eot = "tokenizer.ggml.eot_token_id";
  if (file.has(eot)) add(read_token_id(file, eot, vocabulary.size()));
  add(vocabulary.find_special(kTurnEnd));
  add(vocabulary.find_special(kTextEnd));
  return stops;
}

/// The token that begins a text. In a chat it comes once, whether the file or its template asks for it or both; a
/// first turn that begins with that very token needs no other.
void read_bos(const GgufFile& file, Vocabulary& vocabulary) {
  const std::string key = "tokenizer.ggml.bos_token_id";
  const bool begins_texts = file.get_or<bool>("tokenizer.ggml.add_bos_token", false);
  if (!begins_texts && (vocabulary.chat_template.empty() || !file.has(key))) return;
  const int bos = read_token_id(file, key, vocabulary.size());
  const std::string& name = vocabulary.bytes[std::size_t(bos)];
  if (begins_texts) vocabulary.bos = bos;
  if (name != kTurnBegin && (begins_texts || writes_bos(vocabulary.chat_template, name))) vocabulary.chat_bos = bos;
}

}  // namespace

int Vocabulary::find_special(std::string_view name) const {
  for (const NamedToken& it : named) {
    if (it.is_special && it.name == name) return it.token;
  }
  return kNoToken;
}

Vocabulary read_vocabulary(const GgufFile& file) {
  const auto& model = file.get<std::string>("tokenizer.ggml.model");
  if (model != "gpt2") {
    file.fail("has a tokenizer of kind " + in_quotes(model) + "; only gpt2 (byte-level BPE) is supported");
  }
  const auto& pre = file.get<std::string>("tokenizer.ggml.pre");
  if (!Pretokenizer::knows(pre)) {
    file.fail("splits words by the pre-tokenizer " + in_quotes(pre) + "; only gpt-2 and smollm are supported");
  }
  if (file.get_or<bool>("tokenizer.ggml.add_space_prefix", false)) {
    file.fail("wants a space before every text (tokenizer.ggml.add_space_prefix), which is not supported");
  }

  Vocabulary vocabulary;
  vocabulary.pretokenizer = Pretokenizer(pre);
  const auto& names = file.get<std::vector<std::string>>("tokenizer.ggml.tokens");
  read_merges(file, read_tokens(file, names, vocabulary), vocabulary.merges);
  vocabulary.stop_tokens = read_stop_tokens(file, vocabulary);
  vocabulary.chat_template = file.get_or<std::string>("tokenizer.chat_template", "");
  read_bos(file, vocabulary);
  return vocabulary;
}

}  // namespace waitless
