#include "cache_validity.h"

#include <cmath>
#include <vector>

#include "01_naive_generation/forward.h"
#include "common/base/not_implemented.h"

namespace waitless {

Matrix changed_cache_rows(const Model& model, std::span<const int> tokens, const Batch& batch, int j, int other) {
  // EXERCISE(2.8): check the arguments; run the layers twice with an ops.attention that keeps a copy of the keys and
  // values it is given before it attends; compare.
  // SOLUTION_BEGIN(2.8)
  const Index T = batch.n_rows(), n_layers = model.config.n_layers;
  check_argument(Index(tokens.size()) == T, "changed_cache_rows: needs one token for each row of the batch");
  check_argument(j >= 0 && j < T, "changed_cache_rows: there is no token j");
  check_argument(other != tokens[j], "changed_cache_rows: the other token must differ");

  Batch with_tokens = batch;
  with_tokens.token.assign(tokens.begin(), tokens.end());
  const auto cached_rows = [&] {
    std::vector<Matrix> rows(n_layers);  // [T, 2 kv_dim]: keys, then values
    const Ops naive = naive_ops();
    Ops ops = naive;
    ops.attention = [&](const Config& config, int layer, const auto& q, const auto& k, const auto& v, const Batch& b,
                        MatrixRef out) {
      rows[layer].resize(T, k.cols() + v.cols());
      rows[layer] << k, v;
      naive.attention(config, layer, q, k, v, b, out);
    };
    Workspace workspace;
    Matrix x(T, model.config.d_model);
    embed(model, with_tokens, x);
    decode_layers(model, x, with_tokens, ops, workspace, 0, int(n_layers));
    return rows;
  };
  const std::vector<Matrix> before = cached_rows();
  with_tokens.token[j] = other;
  const std::vector<Matrix> after = cached_rows();

  Matrix changed(n_layers, T);
  for (Index l = 0; l < n_layers; ++l) {
    for (Index t = 0; t < T; ++t) {
      const float moved = (after[l].row(t) - before[l].row(t)).norm();
      changed(l, t) = moved == 0 ? 0 : moved / before[l].row(t).norm();
    }
  }
  return changed;
  // SOLUTION_END(2.8)
}

bool is_cache_valid(const Matrix& changed_rows, int j) {
  // EXERCISE(2.8): look at the columns before j.
  // SOLUTION_BEGIN(2.8)
  check_argument(j >= 0 && j < changed_rows.cols(), "is_cache_valid: there is no token j");
  return (changed_rows.leftCols(j).array() == 0.0f).all();
  // SOLUTION_END(2.8)
}

std::string cache_picture(const Matrix& changed_rows) {
  std::string picture = "layer  tokens 0 .. " + std::to_string(changed_rows.cols() - 1) + "\n";
  for (Index l = 0; l < changed_rows.rows(); ++l) {
    std::string number = std::to_string(l);
    picture += std::string(number.size() < 5 ? 5 - number.size() : 0, ' ') + number + "  ";
    for (Index t = 0; t < changed_rows.cols(); ++t) picture += changed_rows(l, t) == 0.0f ? '.' : '#';
    picture += '\n';
  }
  return picture;
}

}  // namespace waitless
