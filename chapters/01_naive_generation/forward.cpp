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
  not_implemented("1.7", model, tokens, x);
}

void attention_mixer(const Model& model, int layer, const ConstMatrixRef& x, const Batch& batch, const Ops& ops,
                     Workspace& workspace, MatrixRef out) {
  // EXERCISE(1.7): project to queries, keys and values; rotate; attend; project back.
  not_implemented("1.7", model, layer, x, batch, ops, workspace, out);
}

void decode_layers(const Model& model, MatrixRef x, const Batch& batch, const Ops& ops, Workspace& workspace, int first,
                   int last) {
  // EXERCISE(1.7): for each layer, norm -> mixer -> add, then norm -> feed-forward -> add.
  not_implemented("1.7", model, x, batch, ops, workspace, first, last);
}

void final_norm(const Model& model, const ConstMatrixRef& x, std::span<const int> rows, MatrixRef out) {
  // EXERCISE(1.7): rms_norm of each chosen row, into the row of out with the same place in the list.
  not_implemented("1.7", model, x, rows, out);
}

void forward(const Model& model, std::span<const int> tokens, const Batch& batch, const Ops& ops, Workspace& workspace,
             MatrixRef logits) {
  // EXERCISE(1.7): the steps above in order, in the memory of the workspace; then ops.linear with model.output.
  not_implemented("1.7", model, tokens, batch, ops, workspace, logits);
}

}  // namespace waitless
