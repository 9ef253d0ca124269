#pragma once

#include <span>
#include <string>

#include "common/model/batch.h"
#include "common/model/model.h"
#include "common/tensor/matrix.h"

namespace waitless {

/// An experiment: which cached rows change when one token of a sequence is replaced by another?
/// The sequence goes through the model twice, without a cache, in the visibility that the batch describes, and what
/// each layer would cache is compared: the key (after RoPE) and the value of a token, all heads, as one vector.
/// @param tokens [T]   @param batch T rows of one sequence; its own tokens, if any, do not matter
/// @param j the token that is replaced, by token `other`
/// @return [n_layers, T]: |after - before| / |before|, Euclidean norms, before: with the tokens as given; exactly 0 if
///         the vector is the same, even where |before| is 0
/// @throws std::invalid_argument unless T = batch.n_rows(), 0 <= j < T and other != tokens[j]
Matrix changed_cache_rows(const Model& model, std::span<const int> tokens, const Batch& batch, int j, int other);

/// Whether a cache of the tokens before j stays right whatever comes at j: none of its rows has changed in any layer.
/// Only then may a program compute them once and go on.
bool is_cache_valid(const Matrix& changed_rows, int j);

/// The experiment as a picture: a line for each layer, a column for each token; '.' unchanged, '#' changed.
std::string cache_picture(const Matrix& changed_rows);

}  // namespace waitless
