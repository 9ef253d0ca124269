#pragma once

#include "common/model/batch.h"
#include "common/model/config.h"
#include "common/tensor/matrix.h"

namespace waitless {

/// Scaled dot-product attention among the T = batch.n_rows() rows of a batch, all heads, with grouped queries: query
/// head h uses key/value head h / (n_heads / n_kv_heads). For each head and row,
///   out = sum over s of softmax(q k_s / sqrt(D)) v_s, where s runs over the rows that row t sees: batch.sees(t, s).
/// Row t sees itself and, in a causal batch, the rows of its sequence at earlier positions. What a row does not see, be
/// it infinite or NaN, does not change its output.
///
/// Everything is recomputed from the rows themselves: nothing is remembered between calls.
/// Source: Vaswani et al. 2017, section 3.2; Ainslie et al. 2023 (grouped queries).
/// @param q [T, n_heads * D]   @param k, v [T, n_kv_heads * D], D = head_dim   @param out [T, n_heads * D]
///        A batch without rows is fine.
/// @throws std::invalid_argument if those shapes do not hold
void attention(const Config& config, const ConstMatrixRef& q, const ConstMatrixRef& k, const ConstMatrixRef& v,
               const Batch& batch, MatrixRef out);

}  // namespace waitless
