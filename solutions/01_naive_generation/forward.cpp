#include "forward.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "attention.h"
#include "common/not_implemented.h"
#include "feed_forward.h"
#include "linear.h"
#include "rms_norm.h"
#include "rope.h"

namespace waitless {

void Workspace::reserve(const Config& config, Index n_rows) {
  if (n_rows <= x.rows()) return;
  const Index capacity = std::max(n_rows, 2 * x.rows());
  for (Matrix* m : {&x, &normed, &block}) m->resize(capacity, config.d_model);
  for (Matrix* m : {&q, &attended}) m->resize(capacity, config.q_dim());
  for (Matrix* m : {&k, &v}) m->resize(capacity, config.kv_dim());
  for (Matrix* m : {&gate, &up}) m->resize(capacity, config.d_ff);
}

Ops naive_ops(const Config& config) {
  Ops ops;
  ops.linear = linear;
  ops.attention = [config](int, const auto& q, const auto& k, const auto& v, const Batch& batch, MatrixRef out) {
    attention(config, q, k, v, batch, out);
  };
  return ops;
}

void embed(const Model& model, std::span<const int> tokens, MatrixRef x) {
  // EXERCISE(1.7): check the shape and the tokens; then expand_row() of the embedding into each row of x.
  // SOLUTION_BEGIN(1.7)
  check_shape("embed: x", x, Index(tokens.size()), model.config.d_model);
  for (Index t = 0; t < x.rows(); ++t) {
    if (tokens[t] < 0 || tokens[t] >= model.config.vocab_size) {
      throw std::out_of_range("token " + std::to_string(tokens[t]) + " is outside the vocabulary of " +
                              std::to_string(model.config.vocab_size));
    }
    expand_row(model.token_embedding, tokens[t], {x.row(t).data(), std::size_t(x.cols())});
  }
  // SOLUTION_END(1.7)
}

void attention_mixer(const Model& model, int layer, const ConstMatrixRef& x, const Batch& batch, const Ops& ops,
                     Workspace& workspace, MatrixRef out) {
  // EXERCISE(1.7): project to queries, keys and values; rotate; attend; project back.
  // SOLUTION_BEGIN(1.7)
  const Config& config = model.config;
  const LayerWeights& weights = model.layers[layer];
  MatrixRef q = workspace.q.topRows(x.rows()), k = workspace.k.topRows(x.rows()), v = workspace.v.topRows(x.rows());
  MatrixRef attended = workspace.attended.topRows(x.rows());
  ops.linear(weights.query, x, q);
  ops.linear(weights.key, x, k);
  ops.linear(weights.value, x, v);
  rope(q, batch.position, config.head_dim, config.rope);
  rope(k, batch.position, config.head_dim, config.rope);
  ops.attention(layer, q, k, v, batch, attended);
  ops.linear(weights.attention_output, attended, out);
  // SOLUTION_END(1.7)
}

void decode_layers(const Model& model, MatrixRef x, const Batch& batch, const Ops& ops, Workspace& workspace, int first,
                   int last) {
  // EXERCISE(1.7): for each layer, norm -> mixer -> add, then norm -> feed-forward -> add.
  // SOLUTION_BEGIN(1.7)
  const Config& config = model.config;
  check_shape("decode_layers: x", x, batch.n_rows(), config.d_model);
  check_argument(0 <= first && first <= last && last <= config.n_layers, "decode_layers: no such layers");
  workspace.reserve(config, x.rows());
  MatrixRef normed = workspace.normed.topRows(x.rows()), block = workspace.block.topRows(x.rows());
  for (int l = first; l < last; ++l) {
    const LayerWeights& layer = model.layers[l];
    rms_norm(x, layer.attention_norm.f32(), config.norm_eps, normed);
    if (ops.mixer) {
      ops.mixer(l, normed, batch, block);
    } else {
      attention_mixer(model, l, normed, batch, ops, workspace, block);
    }
    x += block;
    rms_norm(x, layer.feed_forward_norm.f32(), config.norm_eps, normed);
    feed_forward(layer, normed, ops, workspace, block);
    x += block;
  }
  // SOLUTION_END(1.7)
}

void final_norm(const Model& model, const ConstMatrixRef& x, std::span<const int> rows, MatrixRef out) {
  // EXERCISE(1.7): rms_norm of each chosen row, into the row of out with the same place in the list.
  // SOLUTION_BEGIN(1.7)
  check_shape("final_norm: out", out, Index(rows.size()), x.cols());
  for (Index r = 0; r < out.rows(); ++r) {
    rms_norm(x.row(rows[r]), model.output_norm.f32(), model.config.norm_eps, out.row(r));
  }
  // SOLUTION_END(1.7)
}

void forward(const Model& model, std::span<const int> tokens, const Batch& batch, const Ops& ops, Workspace& workspace,
             MatrixRef logits) {
  // EXERCISE(1.7): the steps above in order, in the memory of the workspace; then ops.linear with model.output.
  // SOLUTION_BEGIN(1.7)
  check_argument(Index(tokens.size()) == batch.n_rows(), "forward: needs one token for each row of the batch");
  workspace.reserve(model.config, batch.n_rows());
  MatrixRef x = workspace.x.topRows(batch.n_rows());
  MatrixRef normed = workspace.normed.topRows(Index(batch.logit_rows.size()));
  embed(model, tokens, x);
  decode_layers(model, x, batch, ops, workspace, 0, model.config.n_layers);
  final_norm(model, x, batch.logit_rows, normed);
  ops.linear(model.output, normed, logits);
  // SOLUTION_END(1.7)
}

}  // namespace waitless
