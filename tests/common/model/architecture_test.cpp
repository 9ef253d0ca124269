// Guards common/model: architectures that a chapter brings, and what becomes of matrices as they are loaded.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "common/model/layer_weights.h"
#include "common/model/read_config.h"
#include "common/model/tensor_reader.h"
#include "common/testing/gguf_writer.h"
#include "common/testing/random_model.h"
#include "common/testing/refuses.h"
#include "tests/common/model/pack_panels.h"

namespace waitless {
namespace {

Model load(const GgufWriter& file, const LoadOptions& options = {}) {
  return load_model(parse_gguf(file.bytes(), "model.gguf"), options);
}

/// A model of an architecture that exists in this test only: layer 0 recurs, layer 1 attends and has biases, and a head
/// beside the layers predicts one token more.
Model random_hybrid() {
  Config config = small_config();
  config.architecture = "hybrid";
  Model model = random_model(config);
  Layer& layer = model.layers[0];
  layer.kind = "recurrent";
  layer.query = layer.key = layer.value = layer.attention_output = Weight();
  layer.extra["ssm_in.weight"] = make_weight(random_matrix(8, config.d_model, 2), WeightRole::kExtraMatrix, 0);
  layer.extra["ssm_a"] = make_weight(random_matrix(4, 3, 3), WeightRole::kExtra, 0);
  model.layers[1].extra["attn_q.bias"] = make_weight(random_matrix(1, config.q_dim(), 4), WeightRole::kExtra, 1);
  model.extra["mtp.weight"] =
      make_weight(random_matrix(config.d_model, 2 * config.d_model, 5), WeightRole::kExtraMatrix);
  return model;
}

GgufWriter hybrid_file(const ConvertWeight& convert = keep_as_in_file) {
  GgufWriter file = to_gguf(random_hybrid(), convert);
  file.set("hybrid.recurrent_width", std::uint32_t(8));
  file.set("hybrid.layer_kinds", std::vector<std::string>{"recurrent", "attention"});
  return file;
}

Model read_hybrid(TensorReader& tensors) {
  const Hyperparameters h(tensors.file(), "hybrid");
  Model model;
  const Config& c = model.config = read_config(h);
  tensors.take_embedding_and_output(model);
  const auto kinds = h.get_or("layer_kinds", std::vector<std::string>());
  for (int l = 0; l < c.n_layers; ++l) {
    const std::string prefix = layer_prefix(l);
    Layer& layer = model.layers.emplace_back();
    if (kinds.at(l) == "recurrent") {
      layer = tensors.take_layer(
          c, l, {WeightRole::kQuery, WeightRole::kKey, WeightRole::kValue, WeightRole::kAttentionOutput});
      layer.extra["ssm_in.weight"] =
          tensors.take(prefix + "ssm_in.weight", WeightRole::kExtraMatrix, l, h.count("recurrent_width"), c.d_model);
      layer.extra["ssm_a"] = tensors.take(prefix + "ssm_a", WeightRole::kExtra, l, 4, 3);
    } else {
      layer = tensors.take_layer(c, l);
      layer.extra["attn_q.bias"] = tensors.take(prefix + "attn_q.bias", WeightRole::kExtra, l, 1, c.q_dim());
    }
    layer.kind = kinds[l];
  }
  model.extra["mtp.weight"] = tensors.take("mtp.weight", WeightRole::kExtraMatrix, -1, c.d_model, 2 * c.d_model);
  return model;
}

LoadOptions with_hybrid() {
  LoadOptions options;
  options.architectures["hybrid"] = read_hybrid;
  return options;
}

// Guards layers of several kinds in one file.
TEST(Architecture, OfAChaptersOwnIsReadByItsReader) {
  // Oracle: the model that was written, and its file written once more.
  const Model model = random_hybrid(), loaded = load(hybrid_file(), with_hybrid());
  EXPECT_EQ(loaded.config.architecture, "hybrid");
  EXPECT_EQ(loaded.layers[0].kind, "recurrent");
  EXPECT_EQ(loaded.layers[1].kind, "attention");
  EXPECT_EQ(loaded.layers[0].query.rows, 0);
  EXPECT_EQ(loaded.layers[0].up.f32(), model.layers[0].up.f32());
  EXPECT_EQ(loaded.layers[0].extra.at("ssm_in.weight").f32(), model.layers[0].extra.at("ssm_in.weight").f32());
  EXPECT_EQ(loaded.layers[0].extra.at("ssm_a").f32(), model.layers[0].extra.at("ssm_a").f32());
  EXPECT_EQ(loaded.layers[1].extra.at("attn_q.bias").f32(), model.layers[1].extra.at("attn_q.bias").f32());
  EXPECT_EQ(loaded.extra.at("mtp.weight").f32(), model.extra.at("mtp.weight").f32());
  EXPECT_EQ(to_gguf(loaded).bytes(), to_gguf(model).bytes());
}

// Guards the table of weights.
TEST(Architecture, OfAChaptersOwnIsCountedWhole) {
  // Oracle: by hand, for d_model 20, 4 and 2 heads of 6, d_ff 28, 50 tokens.
  const Model model = random_hybrid();
  const Index feed_forward = 2 * 20 + 3 * 28 * 20, attention = 2 * 24 * 20 + 2 * 12 * 20;
  const Index layers = 2 * feed_forward + attention + 8 * 20 + 4 * 3 + 24;
  EXPECT_EQ(model.bytes_per_forward(), 4 * (layers + 20 + 50 * 20));
  EXPECT_EQ(model.n_parameters(), layers + 20 + 2 * 50 * 20 + 20 * 40);
}

// Guards a tied output, which is one matrix.
TEST(Architecture, CountsATiedOutputOnce) {
  Model model = random_model(small_config());
  const Index untied = model.n_parameters(), bytes = model.bytes_per_forward();
  model.output = model.token_embedding;
  EXPECT_EQ(model.n_parameters(), untied - 50 * 20);
  EXPECT_EQ(model.bytes_per_forward(), bytes);
}

// Guards the place of weights by name.
TEST(Architecture, FindsEveryWeightByItsName) {
  // Oracle: the pass over all weights.
  const Model model = random_hybrid();
  for (const Layer& layer : model.layers) {
    Layer copy;
    for_each_weight(layer, [&](const std::string& name, const Weight& w) { weight_named(copy, name) = w; });
    EXPECT_EQ(copy.down.data, layer.down.data);
    EXPECT_EQ(copy.query.data, layer.query.data);
    EXPECT_EQ(copy.extra.size(), layer.extra.size());
  }
}

// Guards against files of another kind.
TEST(Architecture, UnknownIsRefusedWithTheKnownOnes) {
  EXPECT_TRUE(
      refuses([] { load(hybrid_file()); }, "is of architecture \"hybrid\", which is not supported; supported: llama"));
  GgufWriter file = hybrid_file();
  file.set("general.architecture", "qwen2");
  EXPECT_TRUE(refuses([&] { load(file, with_hybrid()); },
                      "is of architecture \"qwen2\", which is not supported; supported: hybrid, llama"));
}

// Guards readers against tensors that they forget or want in vain.
TEST(Architecture, OfAChaptersOwnIsCheckedLikeAnyOther) {
  GgufWriter file = hybrid_file();
  file.tensors.push_back({"blk.0.ssm_d", {2}, 0, std::string(8, '\0'), {}});
  EXPECT_TRUE(refuses([&] { load(file, with_hybrid()); }, "holds the tensor \"blk.0.ssm_d\", which is not supported"));
  file = hybrid_file();
  file.erase("blk.0.ssm_a");
  EXPECT_TRUE(refuses([&] { load(file, with_hybrid()); }, "lacks the tensor \"blk.0.ssm_a\""));
  file = hybrid_file();
  file.tensor("blk.0.ssm_a").data[3] = file.tensor("blk.0.ssm_a").data[2] = '\xff';
  EXPECT_TRUE(refuses([&] { load(file, with_hybrid()); }, "\"blk.0.ssm_a\" holds a number that is not finite"));
  file = hybrid_file();
  file.set("hybrid.recurrent_width", std::uint32_t(0));
  EXPECT_TRUE(refuses([&] { load(file, with_hybrid()); }, "\"hybrid.recurrent_width\" is 0, which is not possible"));
}

// Guards models that fill in blocks or encode.
TEST(Architecture, NotCausalIsReadAndRefusedWhereItMatters) {
  Config config = small_config();
  config.causal = false;
  const Model model = load(to_gguf(random_model(config)));
  EXPECT_FALSE(model.config.causal);
  EXPECT_TRUE(refuses([&] { require_causal(model.config, "generation"); }, "generation needs a causal model"));
  config.causal = true;
  const Model causal = load(to_gguf(random_model(config)));
  EXPECT_TRUE(causal.config.causal);
  EXPECT_NO_THROW(require_causal(causal.config, "generation"));
}

// Guards conversion at loading: every matrix once, and nothing else.
TEST(Convert, IsCalledOnceForEachMatrix) {
  // Oracle: counting. 7 matrices a layer, embedding and output; the hybrid's recurrent layer has 3 + 1, and a head.
  std::atomic<int> calls = 0, others = 0;
  LoadOptions options = with_hybrid();
  options.convert = [&](const Weight& w) {
    ++calls;
    if (!is_matrix(w.role)) ++others;
    return expand(w);
  };
  load(to_gguf(random_model(small_config())), options);
  EXPECT_EQ(calls.exchange(0), 2 * 7 + 2);
  load(hybrid_file(), options);
  EXPECT_EQ(calls, 7 + 4 + 2 + 1);
  EXPECT_EQ(others, 0);
}

// Guards what operators read as F32 whatever the file stores.
TEST(Convert, LeavesNormsAndOtherSmallWeightsAlone) {
  LoadOptions options = with_hybrid();
  options.convert = keep_as_in_file;
  const Model model = load(hybrid_file(stored_as(WeightType::kBF16)), options);
  EXPECT_EQ(model.layers[0].extra.at("ssm_in.weight").type(), WeightType::kBF16);
  EXPECT_EQ(model.layers[0].extra.at("ssm_a").type(), WeightType::kF32);
  EXPECT_EQ(model.layers[1].extra.at("attn_q.bias").type(), WeightType::kF32);
  EXPECT_EQ(model.output_norm.type(), WeightType::kF32);
}

// Guards tied embeddings: packed once, as the product wants it, and shared.
TEST(Convert, GivesEmbeddingAndTiedOutputTheSameMemory) {
  GgufWriter file = to_gguf(random_model(small_config()));
  file.erase("output.weight");
  std::atomic<int> outputs = 0, embeddings = 0;
  LoadOptions options;
  options.convert = [&](const Weight& w) {
    outputs += w.role == WeightRole::kOutput;
    embeddings += w.role == WeightRole::kTokenEmbedding;
    return pack_panels(w, 16);
  };
  const Model model = load(file, options);
  EXPECT_EQ(outputs, 1);
  EXPECT_EQ(embeddings, 0);
  EXPECT_TRUE(model.has_tied_output());
  EXPECT_EQ(model.output.panel_rows, 16);
  EXPECT_EQ(model.token_embedding.role, WeightRole::kTokenEmbedding);
  EXPECT_EQ(expand(model.token_embedding).f32(), random_model(small_config()).token_embedding.f32());
}

/// Bytes of a mapped file that are in memory now; -1 where the system does not tell (only Linux does).
double resident_bytes(const std::filesystem::path& path) {
  std::ifstream in("/proc/self/smaps");
  double bytes = in ? 0 : -1;
  bool is_file = false;
  for (std::string line; std::getline(in, line);) {
    if (line.find(' ') < line.find(':')) is_file = line.ends_with(path.string());  // the first line of a mapping
    if (is_file && line.starts_with("Rss:")) bytes += std::stod(line.substr(4)) * 1024;
  }
  return bytes;
}

// Guards memory: a model that was converted does not keep the file beside it.
TEST(Convert, GivesBackTheMemoryOfTheFile) {
  // Oracle: the operating system's count.
  Config config = small_config();
  config.d_model = config.d_ff = 512;
  config.vocab_size = 2000;
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "waitless_convert_test.gguf";
  to_gguf(random_model(config)).save(path);
  const double size = double(std::filesystem::file_size(path));
  {
    const Model kept = load_model(path, {.convert = keep_as_in_file});
    if (resident_bytes(path) < 0) GTEST_SKIP() << "this system does not tell which pages are in memory";
    EXPECT_GT(resident_bytes(path), 0.9 * size);
  }
  const Model packed = load_model(path, {.convert = [](const Weight& w) { return pack_panels(w, 64); }});
  EXPECT_LT(resident_bytes(path), 0.25 * size);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace waitless
