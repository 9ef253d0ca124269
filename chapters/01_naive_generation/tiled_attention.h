#pragma once

#include <functional>
#include <vector>

#include "attention_plan.h"
#include "common/model/batch.h"
#include "common/model/config.h"
#include "common/tensor/matrix.h"
#include "ops.h"

namespace waitless {

/// attention() made for speed, given: the programs use it. Also over keys and values that a cache holds (chapter 02).
///
/// Tiles of queries share a matrix product with a KV tile, and the softmax goes over the KV tiles in one pass (online
/// softmax): of each row it keeps the largest score so far, and sum and output under it. The KV tiles of a single query
/// are split among the threads (KV splits), whose partial outputs are merged at the end. Chapter 05 teaches all of it.
/// Source: Milakov and Gimelshein 2018 (online softmax); Dao et al. 2022 (FlashAttention); Dao et al. 2023
/// (Flash-Decoding: KV splits).
class TiledAttention {
 public:
  /// All slots of one key/value head of a layer, [n_slots, head_dim].
  struct CachedHead {
    ConstMatrixMap keys, values;
  };
  using CachedHeads = std::function<CachedHead(int kv_head)>;

  /// Plans the tiles of a batch, once for all layers.
  void begin_step(const Batch& batch, const AttentionPlan::CachedSpans& cached_spans = {});

  /// Forgets the plan: until the next step begins there is nothing to attend to.
  void end_step() { n_rows_ = kNoStep; }

  /// One layer: every row attends to what it sees of the cache and of the batch. The result does not depend on the
  /// number of threads. Nothing is allocated once a batch of this size has been through.
  /// @param batch the one that the step began with
  /// @param q, out [T, n_heads * D]   @param k, v [T, n_kv_heads * D], or [0, ..]: the rows bring no keys
  /// @throws std::invalid_argument if those shapes do not hold
  void attend(const Config& config, const ConstMatrixRef& q, const ConstMatrixRef& k, const ConstMatrixRef& v,
              const Batch& batch, MatrixRef out, const CachedHeads& cached_heads = {});

 private:
  /// Some of the KV tiles of a tile of queries: what one thread does at a time, for one key/value head.
  struct Unit {
    int tile, split, n_splits;
    Index first_partial;  // of the tile; [n_splits][n_heads][n_rows] follow
  };

  void attend_unit(const Config& config, const ConstMatrixRef& q, const ConstMatrixRef& k, const ConstMatrixRef& v,
                   const Batch& batch, const CachedHeads& cached_heads, const Unit& unit, int kv_head);
  void merge_splits(const Config& config, const Unit& first, MatrixRef& out) const;

  static constexpr int kNoStep = -1;

  AttentionPlan plan_;
  std::vector<Unit> units_;
  int n_rows_ = kNoStep;         // of the batch
  Index n_partials_ = 0;         // for each head
  Matrix partials_;              // [n_partials * n_heads, head_dim + 2] unnormalized output, maximum, sum
  std::vector<Matrix> weights_;  // [kQueryTile, kKvTile] of each thread
};

/// naive_ops() with attention in tiles.
Ops tiled_ops();

}  // namespace waitless
