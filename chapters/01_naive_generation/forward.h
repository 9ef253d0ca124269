#pragma once

#include <span>

#include "common/model/batch.h"
#include "common/model/model.h"
#include "ops.h"
#include "workspace.h"

namespace waitless {

/// Ops that recompute everything: linear() and attention() of this chapter.
Ops naive_ops();

/// The first step: the input of each row, which is its token's row of the embedding, or the next of batch.vectors (soft
/// prompts, gists and images, chapter 09).
/// @param x [T, d_model]
/// @throws std::invalid_argument unless the batch holds a token for each row and a vector for each row that asks for
/// one
/// @throws std::out_of_range naming the first token outside the vocabulary
void embed(const Model& model, const Batch& batch, MatrixRef x);

/// The mixer of attention layers: query, key and value projections, RoPE on queries and keys, ops.attention, output
/// projection.
/// @param x [T, d_model], already normed   @param out [T, d_model], must not overlap x
/// @param workspace uses q, k, v and attended; the caller has reserved T rows, it may have more
void attention_mixer(const Model& model, int layer, const ConstMatrixRef& x, const Batch& batch, const Ops& ops,
                     Workspace& workspace, MatrixRef out);

/// Layers first .. last - 1, in place (a pipeline stage, chapter 11, owns a range of them). In each layer the mixer of
/// its kind and then the feed-forward block read the normed stream and add to it; a layer without a feed_forward_norm
/// (its rows are 0) has no such block. Layers keep their numbers: the mixer of layer 10 is told 10, whatever `first`
/// is.
/// @param x [T, d_model], the residual stream; T = batch.n_rows(). It may be the top rows of workspace.x if the caller
///        has reserved T rows.
/// @param workspace reserved here for T rows; uses all but x
/// @throws std::invalid_argument if x has another shape or the range is not within the model's layers
void decode_layers(const Model& model, MatrixRef x, const Batch& batch, const Ops& ops, Workspace& workspace, int first,
                   int last);

/// The final norm of the chosen rows. Multi-token prediction and drafters (chapter 08) read its result.
/// @param x [T, d_model]   @param rows [R], each in [0, T); there may be none   @param out [R, d_model]
/// @throws std::invalid_argument if out has another shape
void final_norm(const Model& model, const ConstMatrixRef& x, std::span<const int> rows, MatrixRef out);

/// The whole pass, in this order: check the batch and the shape of the logits, reserve the workspace, embed,
/// ops.begin_step, all layers, final norm and output projection of batch.logit_rows (nothing if there are none),
/// ops.end_step.
/// @param logits [R, vocab_size]
/// @throws std::invalid_argument if logits has another shape, or as Batch::check() and embed()
/// @throws std::out_of_range as embed()
void forward(const Model& model, const Batch& batch, const Ops& ops, Workspace& workspace, MatrixRef logits);

}  // namespace waitless
