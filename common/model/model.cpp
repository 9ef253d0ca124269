#include "common/model/model.h"

#include <mutex>
#include <set>
#include <string>

#include "common/model/gguf.h"
#include "common/model/llama_config.h"
#include "common/quote.h"
#include "common/tensor/parallel.h"

namespace waitless {
namespace {

/// Takes tensors out of a file, checks their numbers, and remembers which were taken. Threads may take at once.
class Loader {
 public:
  Loader(const GgufFile& file, Expand expand_to) : file_(file), expand_(expand_to) {}

  Weight take(const std::string& name, WeightRole role, int layer, Index rows, Index cols) {
    Weight weight = file_.weight(name, role, layer, rows, cols);
    const Index row = find_non_finite_row(weight);
    if (row >= 0) {
      file_.fail("tensor " + in_quotes(name) + " holds a number that is not finite, in row " + std::to_string(row));
    }
    {
      const std::lock_guard lock(mutex_);
      taken_.insert(name);
    }
    // The gains of the norms are few, and the operators that use them take F32 only.
    if (weight.type == WeightType::kF32 || (expand_ == Expand::kNo && rows > 1)) return weight;
    Weight expanded = expand(weight);
    file_.release(weight);
    return expanded;
  }

  LayerWeights take_layer(const Config& c, int layer) {
    const auto take_named = [&](const char* name, WeightRole role, Index rows, Index cols) {
      return take("blk." + std::to_string(layer) + "." + name + ".weight", role, layer, rows, cols);
    };
    LayerWeights l;
    l.attention_norm = take_named("attn_norm", WeightRole::kAttentionNorm, 1, c.d_model);
    l.query = take_named("attn_q", WeightRole::kQuery, c.q_dim(), c.d_model);
    l.key = take_named("attn_k", WeightRole::kKey, c.kv_dim(), c.d_model);
    l.value = take_named("attn_v", WeightRole::kValue, c.kv_dim(), c.d_model);
    l.attention_output = take_named("attn_output", WeightRole::kAttentionOutput, c.d_model, c.q_dim());
    l.feed_forward_norm = take_named("ffn_norm", WeightRole::kFeedForwardNorm, 1, c.d_model);
    l.gate = take_named("ffn_gate", WeightRole::kGate, c.d_ff, c.d_model);
    l.up = take_named("ffn_up", WeightRole::kUp, c.d_ff, c.d_model);
    l.down = take_named("ffn_down", WeightRole::kDown, c.d_model, c.d_ff);
    return l;
  }

  /// A tensor that nobody asked for would change what the model computes.
  void refuse_the_rest() const {
    for (const auto& [name, tensor] : file_.tensors()) {
      if (taken_.contains(name)) continue;
      const char* kind = name.ends_with(".bias")                  ? " (a bias)"
                         : name.find("_exps") != name.npos        ? " (experts)"
                         : name.find("rope_freqs") == 0           ? " (rope frequency factors)"
                         : name.find("_norm.weight") != name.npos ? " (a norm)"
                                                                  : "";
      file_.fail("holds the tensor " + in_quotes(name) + kind + ", which is not supported");
    }
  }

 private:
  const GgufFile& file_;
  Expand expand_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> taken_;
};

}  // namespace

Index Model::bytes_per_forward() const {
  Index total = output_norm.bytes() + output.bytes();
  for (const LayerWeights& l : layers) {
    for (const Weight* w : {&l.attention_norm, &l.query, &l.key, &l.value, &l.attention_output, &l.feed_forward_norm,
                            &l.gate, &l.up, &l.down}) {
      total += w->bytes();
    }
  }
  return total;
}

Model load_model(const GgufFile& file, Expand expand_to) {
  Model model;
  const Config& c = model.config = read_llama_config(file);
  Loader loader(file, expand_to);
  model.token_embedding = loader.take("token_embd.weight", WeightRole::kTokenEmbedding, -1, c.vocab_size, c.d_model);
  model.layers.resize(c.n_layers);
  parallel_for(c.n_layers, [&](Index layer) { model.layers[layer] = loader.take_layer(c, int(layer)); });
  model.output_norm = loader.take("output_norm.weight", WeightRole::kOutputNorm, -1, 1, c.d_model);
  if (file.tensors().contains("output.weight")) {
    model.output = loader.take("output.weight", WeightRole::kOutput, -1, c.vocab_size, c.d_model);
  } else {
    model.output = model.token_embedding;
    model.output.role = WeightRole::kOutput;
  }
  loader.refuse_the_rest();
  return model;
}

Model load_model(const std::filesystem::path& path, Expand expand_to) {
  return load_model(GgufFile::open(path), expand_to);
}

}  // namespace waitless
