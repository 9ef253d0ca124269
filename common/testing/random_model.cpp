#include "common/testing/random_model.h"

#include <cmath>

#include "common/model/layer_weights.h"
#include "common/tensor/random.h"

namespace waitless {

Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
  Random random(seed);
  Matrix m(rows, cols);
  for (Index i = 0; i < m.size(); ++i) m.data()[i] = float(2 * random.uniform() - 1);
  return m;
}

Config small_config() {
  Config config;
  config.name = "small random model";
  config.vocab_size = 50;
  config.context_length = 64;
  config.n_layers = 2;
  config.n_heads = 4;
  config.n_kv_heads = 2;
  config.head_dim = 6;
  config.d_model = 20;
  config.d_ff = 28;
  return config;
}

Model random_model(const Config& config, std::uint64_t seed) {
  std::uint64_t next_seed = seed * 1000;
  // Scaled so that activations stay near 1 through any number of layers.
  const auto matrix = [&](WeightRole role, int layer, Index rows, Index cols) {
    return make_weight(random_matrix(rows, cols, next_seed++) * std::sqrt(3.0f / float(cols)), role, layer);
  };
  const auto gain = [&](WeightRole role, int layer) {
    return make_weight((random_matrix(1, config.d_model, next_seed++).array() * 0.5f + 1.0f).matrix(), role, layer);
  };

  Model model;
  model.config = config;
  model.token_embedding = matrix(WeightRole::kTokenEmbedding, -1, config.vocab_size, config.d_model);
  for (int l = 0; l < config.n_layers; ++l) {
    Layer& layer = model.layers.emplace_back();
    for (const auto& it : kLayerWeights<Weight>) {
      layer.*it.member = is_matrix(it.role) ? matrix(it.role, l, it.rows(config), it.cols(config)) : gain(it.role, l);
    }
  }
  model.output_norm = gain(WeightRole::kOutputNorm, -1);
  model.output = matrix(WeightRole::kOutput, -1, config.vocab_size, config.d_model);
  return model;
}

}  // namespace waitless
