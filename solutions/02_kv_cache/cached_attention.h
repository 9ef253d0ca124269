#pragma once

#include <vector>

#include "01_naive_generation/ops.h"
#include "common/model/batch.h"
#include "common/model/config.h"
#include "common/tensor/matrix.h"
#include "kv_cache.h"

namespace waitless {

/// Memory that cached_attention() works in. It only ever grows, so a decode step allocates nothing. An attention that
/// goes row by row and head by head needs none of it.
struct AttentionScratch {
  /// Consecutive rows of one sequence that are attended together.
  struct Tile {
    int first_row, n_rows, n_splits;
    Index first_partial;
  };
  /// What one thread does at a time: one tile, one head of keys and values, one share of the keys.
  struct Unit {
    int tile, kv_head, split;
  };
  std::vector<Tile> tiles;
  std::vector<Unit> units;
  Matrix partials;  // [.., head_dim + 2] unnormalized output, maximum and sum of a row, a head and a split
};

/// Attention of the rows of a batch over everything that they may see: what the cache holds, and each other. For each
/// head, out_h = softmax(q_h K^T / sqrt(D) + mask) V, where K and V are the cached keys and values of the layer
/// together with those of the rows that are not stored. Query head h uses key/value head h / (n_heads / n_kv_heads).
///
/// Rows of the batch that have a slot were stored by cache.append(layer, k, v, batch) just before. Row t sees
///   a slot that holds row s of this batch if batch.sees(t, s),
///   a slot that holds something older if batch.sees_cached(t, its sequence, its position),
///   row s without a slot if batch.sees(t, s).
///
/// One row reads each key and value that it sees once. The work is spread over rows, heads and pieces of the cache;
/// the result does not depend on the number of threads. Nothing is allocated once `scratch` has grown.
/// Source: Vaswani et al. 2017, section 3.2; Milakov and Gimelshein 2018 (softmax in one pass).
/// @param q [T, n_heads * D]   @param k, v [T, n_kv_heads * D], D = head_dim   @param out [T, n_heads * D]
/// @throws std::invalid_argument if those shapes do not hold
void cached_attention(const Config& config, const KvCache& cache, int layer, const ConstMatrixRef& q,
                      const ConstMatrixRef& k, const ConstMatrixRef& v, const Batch& batch, AttentionScratch& scratch,
                      MatrixRef out);

/// The ops of chapter 01 with another attention: append to the cache, then cached_attention(). The cache must live
/// as long as the ops.
Ops cached_ops(const Config& config, KvCache& cache);

}  // namespace waitless
