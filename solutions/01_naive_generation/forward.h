#pragma once

#include <span>

#include "common/model/batch.h"
#include "common/model/model.h"
#include "ops.h"
#include "workspace.h"

namespace waitless {

/// Ops that recompute everything: linear() and attention() of this chapter.
Ops naive_ops(const Config& config);

/// The first step: looks up each token's row of the embedding. Soft prompts and other inputs that are not tokens
/// (chapter 09) write into x themselves instead.
/// @param x [T, d_model]
/// @throws std::out_of_range naming the first token outside the vocabulary
void embed(const Model& model, std::span<const int> tokens, MatrixRef x);

/// The default mixer of layer `layer`: query, key and value projections, RoPE on queries and keys, ops.attention,
/// output projection.
/// @param x [T, d_model], already normed   @param out [T, d_model], must not overlap x
/// @param workspace uses q, k, v and attended
void attention_mixer(const Model& model, int layer, const ConstMatrixRef& x, const Batch& batch, const Ops& ops,
                     Workspace& workspace, MatrixRef out);

/// Layers first .. last - 1, in place (a pipeline stage, chapter 11, owns a range of them). In each layer the mixer
/// and then the feed-forward block read the normed stream and add to it.
/// @param x [T, d_model], the residual stream; T = batch.n_rows()
/// @param workspace uses all but x
/// @throws std::invalid_argument if x has another shape or the range is not within the model's layers
void decode_layers(const Model& model, MatrixRef x, const Batch& batch, const Ops& ops, Workspace& workspace, int first,
                   int last);

/// The final norm of the chosen rows. Multi-token prediction and drafters (chapter 08) read its result.
/// @param x [T, d_model]   @param rows [R], each in [0, T)   @param out [R, d_model]
void final_norm(const Model& model, const ConstMatrixRef& x, std::span<const int> rows, MatrixRef out);

/// The whole pass: embed, all layers, final norm and output projection of batch.logit_rows.
/// @param logits [R, vocab_size]
/// @throws std::invalid_argument unless there is one token for each row of the batch
void forward(const Model& model, std::span<const int> tokens, const Batch& batch, const Ops& ops, Workspace& workspace,
             MatrixRef logits);

}  // namespace waitless
