// Writes the seed corpora of the fuzz targets: fuzz_seeds FOLDER makes FOLDER/gguf and FOLDER/tokenizer.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "common/testing/gguf_writer.h"
#include "common/testing/random_model.h"
#include "tests/common/model/random_blocks.h"

using namespace waitless;

namespace {

/// The smallest decoder whose rows are whole blocks of 32: one layer, two query heads that share a key/value head.
Model small_model(int vocab_size) {
  Config c;
  c.name = "seed";
  c.vocab_size = vocab_size;
  c.context_length = 16;
  c.n_layers = 1;
  c.n_heads = 2;
  c.n_kv_heads = 1;
  c.head_dim = 16;
  c.d_model = c.d_ff = 32;
  c.rope.position_scale = 2;
  Model model = random_model(c);
  model.output = model.token_embedding;
  return model;
}

}  // namespace

int main(int n_arguments, char** arguments) {
  if (n_arguments != 2) {
    std::fputs("usage: fuzz_seeds FOLDER\n", stderr);
    return 1;
  }
  const std::filesystem::path folder = arguments[1];
  std::filesystem::create_directories(folder / "gguf");
  std::filesystem::create_directories(folder / "tokenizer");

  for (const WeightFormat* format : file_formats()) {
    const ConvertWeight convert =
        format->values == 1 ? stored_as(format->type) : replaced_by_random_blocks(format->type);
    to_gguf(small_model(4), convert).save(folder / "gguf" / format->name);
  }
  GgufWriter with_tokenizer = to_gguf(small_model(261), replaced_by_random_blocks(WeightType::kQ4_0));
  add_tokenizer(with_tokenizer, {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}, {{"a", "b"}, {"ab", "c"}});
  with_tokenizer.save(folder / "gguf" / "tokenizer");
  GgufWriter metadata_only;
  metadata_only.set("floats", std::vector<float>{1, 2});
  metadata_only.set("flags", std::vector<bool>{true});
  metadata_only.set("number", 1.5);
  metadata_only.set("general.alignment", std::uint32_t(64));
  metadata_only.save(folder / "gguf" / "metadata");

  const char* texts[] = {"Wait less: it's 2026, isn't it?",
                         "  \t\n\r\n a\xC2\x85 b\xE3\x80\x80 c ",
                         "\xE4\xB8\xAD\xE6\x96\x87 \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7 e\xCC\x81",
                         "<|im_start|>user\nHi<|im_end|>\n<|im_st<|endoftext|>",
                         "\xC0\x80\xED\xA0\x80\xF4\x90\x80\x80\xE4\xB8",
                         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 111222!!!!!!",
                         "int main() { return x[0]->y; }  // 0x7fff"};
  int n = 0;
  for (const char* text : texts) std::ofstream(folder / "tokenizer" / ("text" + std::to_string(n++))) << text;
}
