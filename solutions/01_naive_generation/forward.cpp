#include "forward.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "attention.h"
#include "common/base/not_implemented.h"
#include "common/base/quote.h"
#include "feed_forward.h"
#include "linear.h"
#include "rms_norm.h"
#include "rope.h"

namespace waitless {

void Workspace::reserve(const Config& config, Index n_rows) {
  const auto make_room = [n_rows](Matrix& m, Index cols) {
    if (n_rows > m.rows() || cols != m.cols()) m.resize(std::max(n_rows, 2 * m.rows()), cols);
  };
  for (Matrix* m : {&x, &normed, &residual_update}) make_room(*m, config.d_model);
  for (Matrix* m : {&q, &attended}) make_room(*m, config.q_dim());
  for (Matrix* m : {&k, &v}) make_room(*m, config.kv_dim());
  for (Matrix* m : {&gate, &up}) make_room(*m, config.d_ff);
}

const Mixer& Ops::mixer(const std::string& kind) const {
  const auto found = mixers.find(kind);
  if (found == mixers.end()) throw std::invalid_argument("there is no mixer for layers of kind " + in_quotes(kind));
  return found->second;
}

Ops naive_ops() {
  Ops ops;
  ops.linear = linear;
  ops.attention = [](const Config& config, int, const ConstMatrixRef& q, const ConstMatrixRef& k,
                     const ConstMatrixRef& v, const Batch& batch,
                     MatrixRef out) { attention(config, q, k, v, batch, out); };
  ops.mixers["attention"] = attention_mixer;
  return ops;
}

void attention_mixer(const Model& model, int layer, const ConstMatrixRef& x, const Batch& batch, const Ops& ops,
                     Workspace& workspace, MatrixRef out) {
  // EXERCISE(1.7): project to queries, keys and values; rotate; attend; project back.
  // SOLUTION_BEGIN(1.7)
  const Config& config = model.config;
  const Layer& weights = model.layers[layer];
  MatrixRef q = workspace.q.topRows(x.rows()), k = workspace.k.topRows(x.rows()), v = workspace.v.topRows(x.rows());
  MatrixRef attended = workspace.attended.topRows(x.rows());
  ops.linear(weights.query, x, q);
  ops.linear(weights.key, x, k);
  ops.linear(weights.value, x, v);
  rope(q, batch.position, config.head_dim, config.rope);
  rope(k, batch.position, config.head_dim, config.rope);
  ops.attention(config, layer, q, k, v, batch, attended);
  ops.linear(weights.attention_output, attended, out);
  // SOLUTION_END(1.7)
}

void decode_layers(const Model& model, MatrixRef x, const Batch& batch, const Ops& ops, Workspace& workspace, int first,
                   int last) {
  // EXERCISE(1.8): for each layer, norm -> mixer of its kind -> add, then, if it has one, norm -> feed-forward -> add.
  // SOLUTION_BEGIN(1.8)
  const Config& config = model.config;
  check_shape("decode_layers: x", x, batch.n_rows(), config.d_model);
  check_argument(0 <= first && first <= last && last <= config.n_layers, "decode_layers: no such layers");
  workspace.reserve(config, x.rows());
  MatrixRef normed = workspace.normed.topRows(x.rows()), update = workspace.residual_update.topRows(x.rows());
  for (int l = first; l < last; ++l) {
    const Layer& layer = model.layers[l];
    rms_norm(x, layer.attention_norm.f32(), config.norm_eps, normed);
    ops.mixer(layer.kind)(model, l, normed, batch, ops, workspace, update);
    x += update;
    if (layer.feed_forward_norm.rows == 0) continue;
    rms_norm(x, layer.feed_forward_norm.f32(), config.norm_eps, normed);
    feed_forward(layer, normed, ops, workspace, update);
    x += update;
  }
  // SOLUTION_END(1.8)
}

void embed(const Model& model, const Batch& batch, MatrixRef x) {
  // EXERCISE(1.9): check the shape, the number of tokens and of vectors; then for each row its vector, or expand_row()
  // of the embedding.
  // SOLUTION_BEGIN(1.9)
  const Index T = batch.n_rows(), d_model = model.config.d_model;
  check_shape("embed: x", x, T, d_model);
  check_argument(Index(batch.token.size()) == T, "embed: the batch needs one token for each row");
  const Index n_vectors = std::count(batch.token.begin(), batch.token.end(), Batch::kVector);
  check_argument(Index(batch.vectors.size()) == n_vectors * d_model,
                 "embed: the batch needs a vector for each kVector");
  const float* vector = batch.vectors.data();
  for (Index t = 0; t < T; ++t) {
    const int token = batch.token[t];
    if (token == Batch::kVector) {
      x.row(t) = ConstMatrixMap(vector, 1, d_model);
      vector += d_model;
      continue;
    }
    if (token < 0 || token >= model.config.vocab_size) {
      throw std::out_of_range("token " + std::to_string(token) + " is outside the vocabulary of " +
                              std::to_string(model.config.vocab_size));
    }
    expand_row(model.token_embedding, token, {x.row(t).data(), std::size_t(d_model)});
  }
  // SOLUTION_END(1.9)
}

void final_norm(const Model& model, const ConstMatrixRef& x, std::span<const int> rows, MatrixRef out) {
  // EXERCISE(1.9): rms_norm of each chosen row, into the row of out with the same place in the list.
  // SOLUTION_BEGIN(1.9)
  check_shape("final_norm: out", out, Index(rows.size()), x.cols());
  for (Index r = 0; r < out.rows(); ++r) {
    rms_norm(x.row(rows[r]), model.output_norm.f32(), model.config.norm_eps, out.row(r));
  }
  // SOLUTION_END(1.9)
}

void forward(const Model& model, const Batch& batch, const Ops& ops, Workspace& workspace, MatrixRef logits) {
  // EXERCISE(1.9): check the batch and the shape of the logits; then the steps that the header lists, in the memory of
  // the workspace; then ops.linear with model.output.
  // SOLUTION_BEGIN(1.9)
  batch.check();
  check_shape("forward: logits", logits, Index(batch.logit_rows.size()), model.config.vocab_size);
  workspace.reserve(model.config, std::max<Index>(batch.n_rows(), Index(batch.logit_rows.size())));
  MatrixRef x = workspace.x.topRows(batch.n_rows());
  MatrixRef normed = workspace.normed.topRows(Index(batch.logit_rows.size()));
  embed(model, batch, x);
  if (ops.begin_step) ops.begin_step(batch);
  decode_layers(model, x, batch, ops, workspace, 0, model.config.n_layers);
  final_norm(model, x, batch.logit_rows, normed);
  if (!batch.logit_rows.empty()) ops.linear(model.output, normed, logits);
  if (ops.end_step) ops.end_step();
  // SOLUTION_END(1.9)
}

}  // namespace waitless
