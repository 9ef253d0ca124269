// Guards common/model/model: what load_model refuses, and by which name.
#include <gtest/gtest.h>

#include <limits>

#include "common/model/model.h"
#include "common/testing/gguf_writer.h"
#include "common/testing/random_model.h"
#include "common/testing/refuses.h"
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

testing::AssertionResult refuses_file(const GgufWriter& file, const std::string& part) {
  return refuses([&] { load(file); }, part);
}

// Guards against other models.
TEST(LoadModel, RefusesAnotherArchitectureByName) {
  GgufWriter file = valid_file();
  file.set("general.architecture", "qwen2");
  EXPECT_TRUE(refuses_file(file, "model.gguf: is of architecture \"qwen2\", which is not supported; supported: llama"));
}

// Guards against other models.
TEST(LoadModel, RefusesOtherRopeScalingsByName) {
  GgufWriter file = valid_file();
  file.set("llama.rope.scaling.type", "yarn");
  EXPECT_TRUE(refuses_file(file, "rope scaling \"yarn\""));
}

// Guards against other models.
TEST(LoadModel, RefusesPartialRotation) {
  GgufWriter file = valid_file();
  file.set("llama.rope.dimension_count", std::uint32_t(4));
  EXPECT_TRUE(refuses_file(file, "rotates 4 of the 6 numbers of a head"));
}

// Guards against other models.
TEST(LoadModel, RefusesHeadsThatRopeCannotPair) {
  Config c = small_config();
  c.head_dim = 5;
  EXPECT_TRUE(refuses_file(to_gguf(random_model(c)), "heads of 5 numbers"));
}

// Guards against other models.
TEST(LoadModel, RefusesVariantsThatComputeSomethingElse) {
  GgufWriter file = valid_file();
  file.set("llama.expert_count", std::uint32_t(8));
  EXPECT_TRUE(refuses_file(file, "llama.expert_count"));
  file = valid_file();
  file.set("llama.attention.sliding_window", std::uint32_t(4096));
  EXPECT_TRUE(refuses_file(file, "llama.attention.sliding_window"));
  file = valid_file();
  file.set("llama.use_parallel_residual", true);
  EXPECT_TRUE(refuses_file(file, "llama.use_parallel_residual"));
  file = valid_file();
  file.set("llama.attention.value_length", std::uint32_t(4));
  EXPECT_TRUE(refuses_file(file, "llama.attention.value_length"));
}

// Guards against tensors that would be ignored.
TEST(LoadModel, RefusesTensorsThatItWouldNotUse) {
  for (const auto& [name, kind] : {std::pair("blk.0.attn_q.bias", "(a bias)"),
                                   {"rope_freqs.weight", "(rope frequency factors)"},
                                   {"blk.1.ffn_gate_exps.weight", "(experts)"},
                                   {"blk.0.attn_q_norm.weight", "(a norm)"},
                                   {"blk.2.attn_q.weight", ""}}) {
    GgufWriter file = valid_file();
    file.tensors.push_back({name, {2}, 0, std::string(8, '\0'), {}});
    EXPECT_TRUE(refuses_file(file, std::string("holds the tensor \"") + name + "\"" + (*kind ? " " : "") + kind));
  }
}

// Guards the numbers of every type.
TEST(LoadModel, RefusesWeightsThatAreNotFinite) {
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (const WeightType type : {WeightType::kF32, WeightType::kF16, WeightType::kBF16}) {
      for (const ConvertWeight& convert : {ConvertWeight(expand), ConvertWeight(keep_as_in_file)}) {
        Model model = random_model(small_config());
        Matrix up = model.layers[1].up.f32();
        up(3, 4) = bad;
        model.layers[1].up = make_weight(up);
        EXPECT_TRUE(refuses([&] { load(to_gguf(model, stored_as(type)), {.convert = convert}); },
                            "tensor \"blk.1.ffn_up.weight\" holds a number that is not finite, in row 3"));
      }
    }
  }
}

// Guards the numbers of every type.
TEST(LoadModel, RefusesScalesThatAreNotFinite) {
  for (const WeightType type : {WeightType::kQ8_0, WeightType::kQ4_0, WeightType::kQ4_1}) {
    GgufWriter file = to_gguf(random_model(block_config()), replaced_by_random_blocks(type));
    file.tensor("blk.0.attn_k.weight").data[1] = '\x7e';
    EXPECT_TRUE(refuses_file(file, "tensor \"blk.0.attn_k.weight\" holds a number that is not finite, in row 0"));
  }
}

// Guards against missing parts.
TEST(LoadModel, RefusesAFileWithoutAnyOneOfItsTensors) {
  for (const GgufWriter::Tensor& it : valid_file().tensors) {
    if (it.name == "output.weight") continue;  // tied embeddings
    GgufWriter file = valid_file();
    file.erase(it.name);
    EXPECT_TRUE(refuses_file(file, "lacks the tensor \"" + it.name + "\""));
  }
}

// Guards against missing parts.
TEST(LoadModel, RefusesAFileWithoutMetadataThatItNeeds) {
  for (const std::string key :
       {"general.architecture", "llama.context_length", "llama.block_count", "llama.embedding_length",
        "llama.feed_forward_length", "llama.attention.head_count", "llama.attention.layer_norm_rms_epsilon"}) {
    GgufWriter file = valid_file();
    file.erase(key);
    EXPECT_TRUE(refuses_file(file, "lacks the metadata \"" + key + "\""));
  }
}

// Guards against absurd numbers.
TEST(LoadModel, RefusesCountsThatAreNotPossible) {
  for (const char* name :
       {"context_length", "block_count", "embedding_length", "feed_forward_length", "attention.head_count",
        "attention.head_count_kv", "attention.key_length", "rope.dimension_count", "vocab_size"}) {
    for (const std::int64_t value : {std::int64_t(0), std::int64_t(-1), std::int64_t(1) << 31, std::int64_t(1) << 62}) {
      GgufWriter file = valid_file();
      const std::string key = std::string("llama.") + name;
      file.set(key, value);
      EXPECT_TRUE(
          refuses_file(file, "metadata \"" + key + "\" is " + std::to_string(value) + ", which is not possible"));
    }
  }
}

// Guards against absurd numbers: memory for the layers is reserved at once.
TEST(LoadModel, RefusesMoreLayersThanTensors) {
  GgufWriter file = valid_file();
  file.set("llama.block_count", std::uint32_t(0x7fffffff));
  EXPECT_TRUE(refuses_file(file, "claims 2147483647 layers, but holds only 21 tensors"));
}

// Guards against absurd numbers: none may decide how much memory is taken, or overflow.
TEST(LoadModel, RefusesLargeCountsThatTheTensorsContradict) {
  const std::uint32_t large = 0x7fffffff;
  for (const char* name :
       {"block_count", "embedding_length", "feed_forward_length", "attention.head_count", "attention.key_length"}) {
    GgufWriter file = valid_file();
    file.set(std::string("llama.") + name, large);
    EXPECT_TRUE(refuses_file(file, "model.gguf: ")) << name;
  }
}

// Guards the constants of the formulas.
TEST(LoadModel, RefusesConstantsThatAreNotFiniteAndPositive) {
  for (const std::string key :
       {"llama.attention.layer_norm_rms_epsilon", "llama.rope.freq_base", "llama.rope.scaling.factor"}) {
    for (const float value :
         {0.0f, -1.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
      GgufWriter file = valid_file();
      file.set(key, value);
      EXPECT_TRUE(refuses_file(file, "metadata \"" + key + "\" is "));
    }
  }
}

// Guards grouped-query attention.
TEST(LoadModel, RefusesKeyHeadsThatDoNotDivideTheQueryHeads) {
  GgufWriter file = valid_file();
  file.set("llama.attention.head_count_kv", std::uint32_t(3));
  EXPECT_TRUE(refuses_file(file, "shares 3 key/value heads among 4 query heads"));
}

// Guards the size of the vocabulary.
TEST(LoadModel, RefusesAVocabularyOfAnotherSizeThanTheEmbedding) {
  GgufWriter file = valid_file();
  file.set("llama.vocab_size", std::uint32_t(51));
  EXPECT_TRUE(refuses_file(file, "has an embedding of 50 tokens, but llama.vocab_size says 51"));
  file = valid_file();
  file.set("tokenizer.ggml.tokens", std::vector<std::string>{"a"});
  EXPECT_TRUE(refuses_file(file, "has an embedding of 50 tokens, but tokenizer.ggml.tokens says 1"));
}

// Guards against truncated files.
TEST(LoadModel, RefusesAFileTruncatedAtEveryHundredth) {
  const std::string whole = valid_file().bytes();
  for (std::size_t percent = 0; percent < 100; ++percent) {
    EXPECT_TRUE(refuses([&] { load_model(parse_gguf(whole.substr(0, whole.size() * percent / 100), "cut.gguf")); },
                        "cut.gguf: "))
        << percent << " %";
  }
}

}  // namespace
}  // namespace waitless
