#pragma once

#include "common/model/batch.h"
#include "common/model/config.h"
#include "common/tensor/matrix.h"

namespace waitless {

/// Scaled dot-product attention among the rows of a batch, all heads, with grouped queries: query head h uses
/// key/value head h / (n_heads / n_kv_heads). For each head,
///   out_h = softmax(q_h k_h^T / sqrt(D) + mask) v_h
/// where mask[t, s] is 0 if batch.sees(t, s) and -infinity otherwise. Row t sees itself and, in a causal batch,
/// the rows of its sequence at earlier positions.
///
/// Everything is recomputed from the rows themselves: nothing is remembered between calls, slots are ignored. Once its
/// buffers have grown, a call with one row allocates nothing.
/// Source: Vaswani et al. 2017, section 3.2; Ainslie et al. 2023 (grouped queries).
/// @param q [T, n_heads * D]   @param k, v [T, n_kv_heads * D], D = head_dim   @param out [T, n_heads * D]
/// @throws std::invalid_argument if those shapes do not hold
void attention(const Config& config, const ConstMatrixRef& q, const ConstMatrixRef& k, const ConstMatrixRef& v,
               const Batch& batch, MatrixRef out);

}  // namespace waitless
