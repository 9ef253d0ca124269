// Writes the seed corpora of the fuzz targets: fuzz_seeds FOLDER makes FOLDER/gguf and FOLDER/tokenizer.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "common/tensor/random.h"
#include "common/testing/gguf_writer.h"

using namespace waitless;

namespace {

Weight weight(Index rows, Index cols, Random& random) {
  Matrix values(rows, cols);
  for (float& value : values.reshaped()) value = float(2 * random.uniform() - 1);
  return make_weight(values);
}

/// The smallest decoder whose rows are whole blocks of 32: one layer, two query heads that share a key/value head.
Model small_model(int vocab_size) {
  Random random(1);
  Model m;
  m.config = {"seed", vocab_size, 16, 1, 2, 1, 16, 32, 32, 1e-5f, {10000, 2}};
  const Config& c = m.config;
  m.token_embedding = m.output = weight(vocab_size, c.d_model, random);
  m.layers.resize(1);
  LayerWeights& l = m.layers[0];
  l.attention_norm = l.feed_forward_norm = m.output_norm = weight(1, c.d_model, random);
  l.query = weight(c.q_dim(), c.d_model, random);
  l.key = l.value = weight(c.kv_dim(), c.d_model, random);
  l.attention_output = weight(c.d_model, c.q_dim(), random);
  l.gate = l.up = weight(c.d_ff, c.d_model, random);
  l.down = weight(c.d_model, c.d_ff, random);
  return m;
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

  for (const WeightType type : {WeightType::kF32, WeightType::kF16, WeightType::kBF16, WeightType::kQ8_0,
                                WeightType::kQ4_0, WeightType::kQ4_1}) {
    to_gguf(small_model(4), type).save(folder / "gguf" / find_format(type)->name);
  }
  GgufWriter with_tokenizer = to_gguf(small_model(261), WeightType::kQ4_0);
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
