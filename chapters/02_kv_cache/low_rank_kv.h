#pragma once

#include <span>

#include "common/model/model.h"

namespace waitless {

/// A model whose layers have a latent of `rank` numbers in place of the 2 kv_dim of a token's key and value.
///
/// In each layer, let D [2 kv_dim, rank] hold the directions in which the keys and values of `tokens` (before RoPE) are
/// largest: the eigenvectors of their second moments with the highest eigenvalues (common/tensor/eigenvectors.h finds
/// them). Then latent = D^T [k; v] is what would be cached, and D latent stands in for [k; v]. Both products are
/// linear, so they go into the weights: [key; value] becomes D D^T [key; value], and the model runs as any other. The
/// keys and values of all layers come from one pass of `model` as it is, and no mean is subtracted from them.
///
/// Unlike DeepSeek's MLA this was not trained, and has no key that bypasses the latent: since RoPE comes between D and
/// the scores, keys must be expanded before they meet a query.
/// @param tokens [T] a text of the kind that the model is used for, causal, from position 0 on; not longer than the
///        model's context
/// @throws std::invalid_argument unless 1 <= rank <= 2 kv_dim and there is at least one token
Model with_low_rank_kv(const Model& model, std::span<const int> tokens, int rank);

}  // namespace waitless
