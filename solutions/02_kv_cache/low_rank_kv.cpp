#include "low_rank_kv.h"

#include <vector>

#include "01_naive_generation/forward.h"
#include "common/base/not_implemented.h"
#include "common/tensor/eigenvectors.h"

namespace waitless {

Model with_low_rank_kv(const Model& model, std::span<const int> tokens, int rank) {
  // EXERCISE(2.9): run the layers with an ops.linear that keeps what the key and value projections put out; find its
  // main directions; project the weights on them.
  // SOLUTION_BEGIN(2.9)
  const Index T = Index(tokens.size()), kv_dim = model.config.kv_dim();
  check_argument(T > 0, "with_low_rank_kv: needs at least one token");
  check_argument(rank >= 1 && rank <= 2 * kv_dim, "with_low_rank_kv: the rank must be from 1 to 2 kv_dim");

  std::vector<Matrix> kv(model.layers.size(), Matrix(T, 2 * kv_dim));  // of each layer: keys before RoPE, then values
  const Ops naive = naive_ops();
  Ops ops = naive;
  ops.linear = [&](const Weight& w, const ConstMatrixRef& x, MatrixRef out) {
    naive.linear(w, x, out);
    if (w.role == WeightRole::kKey) kv[w.layer].leftCols(kv_dim) = out;
    if (w.role == WeightRole::kValue) kv[w.layer].rightCols(kv_dim) = out;
  };
  Workspace workspace;
  Matrix x(T, model.config.d_model);
  const Batch batch = Batch::causal(0, 0, tokens);
  embed(model, batch, x);
  decode_layers(model, x, batch, ops, workspace, 0, int(model.layers.size()));

  Model low_rank = model;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    Layer& layer = low_rank.layers[l];
    const Matrix moments = kv[l].transpose() * kv[l];
    const Matrix directions = eigenvectors(moments.cast<double>()).vectors.rightCols(rank).cast<float>();
    Matrix weights(2 * kv_dim, model.config.d_model);
    weights << layer.key.f32(), layer.value.f32();
    weights = directions * (directions.transpose() * weights);
    layer.key = make_weight(weights.topRows(kv_dim), WeightRole::kKey, int(l));
    layer.value = make_weight(weights.bottomRows(kv_dim), WeightRole::kValue, int(l));
  }
  return low_rank;
  // SOLUTION_END(2.9)
}

}  // namespace waitless
