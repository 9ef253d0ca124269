#pragma once

#include "common/tensor/matrix.h"

namespace waitless {

/// The weights of one layer of multi-head latent attention (MLA). Keys and values of all heads are computed from one
/// latent of latent_dim numbers; position enters through a part of the query and one key that bypass the latent and are
/// rotated. Matrices are [outputs, inputs].
/// Source: DeepSeek-AI 2024, DeepSeek-V2, section 2.1 (without the compression of queries).
struct LatentWeights {
  int n_heads = 0;
  int nope_dim = 0;    // numbers of a head's query and key that come from the latent
  int rope_dim = 0;    // numbers that are rotated
  int value_dim = 0;   // numbers of a head's value
  Matrix query;        // [n_heads * (nope_dim + rope_dim), d_model]
  Matrix latent;       // [latent_dim, d_model]: d_model -> what is cached
  Matrix rotated_key;  // [rope_dim, d_model]: the key that all heads share, cached as well
  Matrix key;          // [n_heads * nope_dim, latent_dim]: latent -> keys
  Matrix value;        // [n_heads * value_dim, latent_dim]: latent -> values
};

/// What is cached of each token.
struct LatentCache {
  Matrix latents;       // [S, latent_dim]
  Matrix rotated_keys;  // [S, rope_dim], after RoPE
};

/// Attention of one query over a latent cache: score = (q_nope k_nope + q_rope k_rope) / sqrt(nope_dim + rope_dim).
/// Expanded: keys and values of all heads are computed from the latents first, S * n_heads * (nope_dim + value_dim)
/// numbers.
/// @param q [1, n_heads * (nope_dim + rope_dim)]: of each head nope_dim numbers, then rope_dim, already rotated
/// @return [1, n_heads * value_dim]
/// @throws std::invalid_argument if shapes do not fit or the cache is empty
Matrix expanded_attention(const LatentWeights& weights, const LatentCache& cache, const Matrix& q);

/// The same result without ever expanding: q_nope (W c) = (W^T q_nope) c, so the query absorbs the key's matrix and
/// meets the latents themselves; the weighted sum is taken of latents, and only that one is turned into a value.
/// Parameters, result and errors as expanded_attention().
Matrix absorbed_attention(const LatentWeights& weights, const LatentCache& cache, const Matrix& q);

}  // namespace waitless
