#include "common/testing/small_tokenizer.h"

#include "common/testing/gguf_writer.h"

namespace waitless {

Tokenizer small_tokenizer() {
  GgufWriter writer;
  add_tokenizer(writer, {"<|endoftext|>"}, {});
  return Tokenizer::from_gguf(parse_gguf(writer.bytes()));
}

}  // namespace waitless
