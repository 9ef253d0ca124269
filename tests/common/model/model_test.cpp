// Guards common/model/model: what load_model makes of a file.
#include "common/model/model.h"

#include <gtest/gtest.h>

#include "common/testing/gguf_writer.h"
#include "common/testing/random_model.h"
#include "tests/common/model/random_blocks.h"

namespace waitless {
namespace {

/// A model whose rows are whole blocks of 32, so that every type can store it.
Config block_config() {
  Config c = small_config();
  c.d_model = 32;
  c.d_ff = 64;
  c.n_heads = 4;
  c.n_kv_heads = 2;
  c.head_dim = 8;
  return c;
}

Model load(const GgufWriter& file, const LoadOptions& options = {}) {
  return load_model(parse_gguf(file.bytes(), "model.gguf"), options);
}

GgufWriter valid_file() { return to_gguf(random_model(small_config())); }

// Guards the names and shapes of all tensors.
TEST(LoadModel, GivesTheModelThatWasWritten) {
  // Oracle: the model itself, and its file written once more.
  const Model model = random_model(small_config());
  const Model loaded = load(to_gguf(model));
  EXPECT_EQ(loaded.layers[1].down.f32(), model.layers[1].down.f32());
  EXPECT_EQ(loaded.layers[0].key.f32(), model.layers[0].key.f32());
  EXPECT_EQ(to_gguf(loaded).bytes(), to_gguf(model).bytes());
}

// Guards the shape of the model.
TEST(LoadModel, ReadsTheConfiguration) {
  Config c = small_config();
  c.rope = {5000, 4};
  const Config got = load(to_gguf(random_model(c))).config;
  EXPECT_EQ(got.name, c.name);
  EXPECT_EQ(got.vocab_size, c.vocab_size);
  EXPECT_EQ(got.context_length, c.context_length);
  EXPECT_EQ(got.n_layers, c.n_layers);
  EXPECT_EQ(got.n_heads, c.n_heads);
  EXPECT_EQ(got.n_kv_heads, c.n_kv_heads);
  EXPECT_EQ(got.head_dim, c.head_dim);
  EXPECT_EQ(got.d_model, c.d_model);
  EXPECT_EQ(got.d_ff, c.d_ff);
  EXPECT_EQ(got.norm_eps, c.norm_eps);
  EXPECT_EQ(got.rope.base, 5000);
  EXPECT_EQ(got.rope.position_scale, 4);
}

// Guards roles and layers, by which later chapters choose what to do with a weight.
TEST(LoadModel, LabelsEveryWeightWithItsRoleAndLayer) {
  const Model model = load(valid_file());
  EXPECT_EQ(model.layers[1].gate.role, WeightRole::kGate);
  EXPECT_EQ(model.layers[1].gate.layer, 1);
  EXPECT_EQ(model.token_embedding.role, WeightRole::kTokenEmbedding);
  EXPECT_EQ(model.output.role, WeightRole::kOutput);
  EXPECT_EQ(model.output.layer, -1);
}

// Guards tied embeddings.
TEST(LoadModel, UsesTheEmbeddingAsOutputIfTheFileHasNone) {
  GgufWriter file = valid_file();
  file.erase("output.weight");
  const Model model = load(file);
  EXPECT_EQ(model.output.data, model.token_embedding.data);
  EXPECT_EQ(model.output.role, WeightRole::kOutput);
}

// Guards expansion.
TEST(LoadModel, ExpandsEveryTypeOrKeepsIt) {
  // Oracle: expand().
  for (const WeightType type : {WeightType::kF32, WeightType::kF16, WeightType::kBF16, WeightType::kQ8_0,
                                WeightType::kQ4_0, WeightType::kQ4_1}) {
    const bool is_float = find_format(type)->values == 1;
    const GgufWriter file =
        to_gguf(random_model(block_config()), is_float ? stored_as(type) : replaced_by_random_blocks(type));
    const Model kept = load(file, {.convert = keep_as_in_file}), expanded = load(file);
    EXPECT_EQ(kept.layers[1].up.type(), type);
    EXPECT_EQ(expanded.layers[1].up.f32(), expand(kept.layers[1].up).f32());
  }
}

// Guards norms, which operators read as F32 whatever the file stores.
TEST(LoadModel, ExpandsNormsAlways) {
  const Model model = random_model(small_config());
  GgufWriter file = to_gguf(model);
  for (GgufWriter::Tensor& it : file.tensors) {
    if (it.name != "output_norm.weight") continue;
    it.type = std::uint32_t(WeightType::kBF16);
    it.data = encode_weights(model.output_norm.f32(), WeightType::kBF16);
  }
  EXPECT_EQ(load(file, {.convert = keep_as_in_file}).output_norm.type(), WeightType::kF32);
}

// Guards the bytes that a forward pass reads.
TEST(LoadModel, CountsEveryMatrixOnceForAForwardPass) {
  // Oracle: by hand, for d_model 20, 4 and 2 heads of 6, d_ff 28, 50 tokens, 2 layers.
  const Index layer = 2 * 20 + 24 * 20 + 2 * 12 * 20 + 20 * 24 + 3 * 28 * 20;
  EXPECT_EQ(load(valid_file()).bytes_per_forward(), 4 * (2 * layer + 20 + 50 * 20));
}

// Guards defaults of the format.
TEST(LoadModel, DerivesWhatAFileMayLeaveOut) {
  Config c = block_config();
  c.n_kv_heads = c.n_heads;
  GgufWriter file = to_gguf(random_model(c));
  for (const char* key : {"vocab_size", "attention.head_count_kv", "attention.key_length", "attention.value_length",
                          "rope.dimension_count", "rope.freq_base"}) {
    file.erase(std::string("llama.") + key);
  }
  const Config got = load(file).config;
  EXPECT_EQ(got.vocab_size, c.vocab_size);
  EXPECT_EQ(got.n_kv_heads, 4);
  EXPECT_EQ(got.head_dim, 8);
  EXPECT_EQ(got.rope.base, 10000);
  EXPECT_EQ(got.rope.position_scale, 1);
}

// Guards rope scaling.
TEST(LoadModel, ReadsTheOldNameOfLinearRopeScaling) {
  GgufWriter file = valid_file();
  file.set("llama.rope.scale_linear", 2.0f);
  EXPECT_EQ(load(file).config.rope.position_scale, 2);
  file.set("llama.rope.scaling.type", "none");
  EXPECT_EQ(load(file).config.rope.position_scale, 1);
}

}  // namespace
}  // namespace waitless
