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
  not_implemented("1.7");
}

void decode_layers(const Model& model, MatrixRef x, const Batch& batch, const Ops& ops, Workspace& workspace, int first,
                   int last) {
  // EXERCISE(1.8): for each layer, norm -> mixer of its kind -> add, then, if it has one, norm -> feed-forward -> add.
  not_implemented("1.8");
}

void embed(const Model& model, const Batch& batch, MatrixRef x) {
  // EXERCISE(1.9): check the shape, the number of tokens and of vectors; then for each row its vector, or expand_row()
  // of the embedding.
  not_implemented("1.9");
}

void final_norm(const Model& model, const ConstMatrixRef& x, std::span<const int> rows, MatrixRef out) {
  // EXERCISE(1.9): rms_norm of each chosen row, into the row of out with the same place in the list.
  not_implemented("1.9");
}

void forward(const Model& model, const Batch& batch, const Ops& ops, Workspace& workspace, MatrixRef logits) {
  // EXERCISE(1.9): check the batch and the shape of the logits; then the steps that the header lists, in the memory of
  // the workspace; then ops.linear with model.output.
  not_implemented("1.9");
}

}  // namespace waitless
