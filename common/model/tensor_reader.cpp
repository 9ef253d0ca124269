#include "common/model/tensor_reader.h"

#include <algorithm>

#include "common/base/quote.h"
#include "common/model/layer_weights.h"

namespace waitless {

Weight TensorReader::take(const std::string& name, WeightRole role, int layer, Index rows, Index cols) {
  const Weight weight = file_.weight(name, role, layer, rows, cols);
  const Index row = find_non_finite_row(weight);
  if (row >= 0) {
    file_.fail("tensor " + in_quotes(name) + " holds a number that is not finite, in row " + std::to_string(row));
  }
  {
    const std::lock_guard lock(mutex_);
    taken_.insert(name);
  }
  Weight converted = is_matrix(role) ? convert_(weight) : expand(weight);
  if (converted.owner != weight.owner) file_.release(weight);
  return converted;
}

Layer TensorReader::take_layer(const Config& config, int number, const std::vector<WeightRole>& lacking) {
  Layer layer;
  for (const auto& it : kLayerWeights<Weight>) {
    if (std::find(lacking.begin(), lacking.end(), it.role) != lacking.end()) continue;
    layer.*it.member = take(layer_prefix(number) + it.name, it.role, number, it.rows(config), it.cols(config));
  }
  return layer;
}

void TensorReader::take_embedding_and_output(Model& model) {
  const Index vocab_size = model.config.vocab_size, d_model = model.config.d_model;
  if (has("output.weight")) {
    model.token_embedding = take("token_embd.weight", WeightRole::kTokenEmbedding, -1, vocab_size, d_model);
    model.output = take("output.weight", WeightRole::kOutput, -1, vocab_size, d_model);
  } else {
    model.token_embedding = model.output = take("token_embd.weight", WeightRole::kOutput, -1, vocab_size, d_model);
    model.token_embedding.role = WeightRole::kTokenEmbedding;
  }
  model.output_norm = take("output_norm.weight", WeightRole::kOutputNorm, -1, 1, d_model);
}

void TensorReader::refuse_the_rest() const {
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

}  // namespace waitless
