#pragma once

#include <functional>

#include "01_naive_generation/forward.h"
#include "common/model/batch.h"
#include "common/model/config.h"
#include "common/tensor/matrix.h"
#include "kv_cache.h"

namespace waitless {

/// Attention of the T = batch.n_rows() rows of a batch over everything that they see: what the cache held before this
/// step, and each other. For each row t and head, out = sum of softmax(q k / sqrt(D)) v over two kinds of keys:
///
///   cached: the slots of cache.slots.spans(s) whose position p the row may see, batch.sees_cached(t, s, p), where s is
///           the row's sequence and, if the batch has contexts and it is another one, the sequence of its context;
///
///   new: the rows r of the batch that it may see, batch.sees(t, r), read from k and v; none if k and v have no rows.
///
/// Query head h uses key/value head h / (n_heads / n_kv_heads). A row costs as much as its own sequence is long,
/// whatever else the cache holds. What a row does not see, be it infinite or NaN, does not change its output. Each row
/// sees at least one key. The cache is only read: appending is left to cached_ops().
/// Source: Vaswani et al. 2017, section 3.2; Ainslie et al. 2023 (grouped queries).
/// @param q [T, n_heads * D]   @param k, v [T, n_kv_heads * D] or [0, n_kv_heads * D], D = head_dim
/// @param out [T, n_heads * D]; what it held before does not matter
/// @throws std::invalid_argument if those shapes do not hold
void cached_attention(const Config& config, const KvCache& cache, int layer, const ConstMatrixRef& q,
                      const ConstMatrixRef& k, const ConstMatrixRef& v, const Batch& batch, MatrixRef out);

/// `base` with another attention: append to the cache, then cached_attention(). A step begins and ends in cache.slots.
/// The cache must live as long as the ops.
Ops cached_ops(KvCache& cache, const Ops& base = naive_ops());

/// The same with the attention in tiles of chapter 01, which the programs use: KV tiles, online softmax, and KV splits
/// for few rows.
Ops tiled_cached_ops(KvCache& cache, const Ops& base = naive_ops());

/// How a decoder makes its ops for its cache. A chapter with a faster linear layer writes
///   [](KvCache& cache) { return tiled_cached_ops(cache, fast_ops()); }
using OpsOfCache = std::function<Ops(KvCache&)>;

inline Ops default_ops_of_cache(KvCache& cache) { return tiled_cached_ops(cache); }

}  // namespace waitless
