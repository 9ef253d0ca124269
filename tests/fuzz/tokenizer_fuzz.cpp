// Guards the tokenizer: any bytes survive encoding and decoding, and streaming gives valid UTF-8 only.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "common/model/gguf.h"
#include "common/testing/gguf_writer.h"
#include "common/tokenizer/tokenizer.h"
#include "common/tokenizer/utf8.h"

using namespace waitless;

namespace {

Tokenizer small_tokenizer(const char* pre) {
  GgufWriter file;
  add_tokenizer(file, {"<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|im"},
                {{" ", " "},
                 {"a", "a"},
                 {"aa", "aa"},
                 {"\xE4", "\xB8"},
                 {"\xE4\xB8", "\xAD"},
                 {"'", "s"},
                 {" ", "a"},
                 {"!", "!"},
                 {"\x80", "\x80"},
                 {"1", "2"},
                 {"\n", "\n"}},
                pre);
  file.set("tokenizer.chat_template", "<|im_start|>system\nS<|im_end|> assistant add_generation_prompt");
  return Tokenizer::from_gguf(parse_gguf(file.bytes()));
}

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Tokenizer tokenizers[] = {small_tokenizer("gpt-2"), small_tokenizer("smollm")};
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const Tokenizer& tokenizer : tokenizers) {
    const std::vector<int> plain = tokenizer.encode(text), parsed = tokenizer.encode(text, SpecialTokens::kParse);
    require(tokenizer.decode(plain) == text);
    require(tokenizer.decode(parsed) == text);
    require(std::none_of(plain.begin(), plain.end(), [&](int token) { return tokenizer.is_special(token); }));

    // A message can neither end its turn nor begin another: three turns begin, two end.
    const std::vector<int> chat = tokenizer.encode_chat(text);
    require(std::count(chat.begin(), chat.end(), 1) == 3 && std::count(chat.begin(), chat.end(), 2) == 2);

    Utf8Stream stream;
    std::string streamed;
    for (const int token : plain) streamed += stream.push(tokenizer.bytes(token));
    streamed += stream.finish();
    require(find_invalid_utf8(streamed) == std::string::npos);
    if (find_invalid_utf8(text) == std::string::npos) require(streamed == text);
  }
  return 0;
}
