#include "tiled_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "common/tensor/parallel.h"
#include "forward.h"

namespace waitless {
namespace {

constexpr int kKvTile = 256;    // keys of a head that fit into the cache of a core
constexpr int kQueryTile = 64;  // queries that share a matrix product
constexpr int kFewRows = 8;     // fewer queries than this are taken one by one: a product of a few rows is slow
constexpr int kSplits = 8;      // of the keys of a single query, for the threads

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

/// exp(from - to), and 0 where nothing has been seen yet.
float rescale(float from, float to) { return from == kMinusInfinity ? 0.0f : std::exp(from - to); }

/// The largest score m so far, and sum l and output o under the weights exp(score - m), of each row of a tile.
struct OnlineSoftmax {
  MatrixMap state;  // [n_rows, D + 2]: o, m, l
  Index D;

  void clear() {
    state.setZero();
    state.col(D).setConstant(kMinusInfinity);
  }

  /// Turns the scaled scores of row r, hidden ones being -infinity, into weights under the new maximum, and carries the
  /// state over to it. @return whether the row sees any of these keys
  template <class Scores>
  bool update(Index r, Scores&& scores) {
    const float m_before = state(r, D), m = std::max(m_before, scores.maxCoeff());
    if (m == kMinusInfinity) return false;
    scores = (scores - m).exp();
    scores = (scores > 1e-37f).select(scores, 0.0f);  // Eigen's exp(-infinity) is just above 0
    state.row(r).head(D) *= rescale(m_before, m);
    state(r, D) = m;
    state(r, D + 1) = state(r, D + 1) * rescale(m_before, m) + scores.sum();
    return true;
  }
};

}  // namespace

void TiledAttention::begin_step(const Batch& batch, const AttentionPlan::CachedSpans& cached_spans) {
  plan_.make(batch, {kQueryTile, kFewRows, kKvTile}, cached_spans);
  n_rows_ = batch.n_rows();
  units_.clear();
  n_partials_ = 0;
  for (int i = 0; i < int(plan_.query_tiles.size()); ++i) {
    const AttentionPlan::QueryTile& tile = plan_.query_tiles[i];
    const int n_splits = tile.is_few ? std::clamp(tile.n_kv_tiles, 1, kSplits) : 1;
    for (int split = 0; split < n_splits; ++split) units_.push_back({i, split, n_splits, n_partials_});
    n_partials_ += Index(n_splits) * tile.n_rows;
  }
}

void TiledAttention::attend(const Config& config, const ConstMatrixRef& q, const ConstMatrixRef& k,
                            const ConstMatrixRef& v, const Batch& batch, MatrixRef out,
                            const CachedHeads& cached_heads) {
  const Index T = batch.n_rows(), D = config.head_dim, n_new = k.rows() == 0 ? 0 : T;
  check_shape("attention: q", q, T, config.q_dim());
  check_shape("attention: k", k, n_new, config.kv_dim());
  check_shape("attention: v", v, n_new, config.kv_dim());
  check_shape("attention: out", out, T, config.q_dim());
  check_argument(n_rows_ == T, "attention: the step did not begin with this batch");

  const Index needed = n_partials_ * config.n_heads;
  if (partials_.rows() < needed || partials_.cols() != D + 2) {
    partials_.resize(std::max(needed, partials_.rows()), D + 2);
  }
  while (int(weights_.size()) < max_threads()) weights_.emplace_back(kQueryTile, kKvTile);

  const Index n_units = Index(units_.size());
  parallel_for(n_units * config.n_kv_heads, [&](Index i) {
    // Rows late in a prompt see more than early ones; dealt from both ends, each thread gets some of either.
    const Index kv_head = i % config.n_kv_heads, u = i / config.n_kv_heads;
    attend_unit(config, q, k, v, batch, cached_heads, units_[u % 2 == 0 ? u / 2 : n_units - 1 - u / 2], int(kv_head));
  });
  parallel_for(n_units, [&](Index u) {
    if (units_[u].split == 0) merge_splits(config, units_[u], out);
  });
}

void TiledAttention::attend_unit(const Config& config, const ConstMatrixRef& q, const ConstMatrixRef& k,
                                 const ConstMatrixRef& v, const Batch& batch, const CachedHeads& cached_heads,
                                 const Unit& unit, int kv_head) {
  const AttentionPlan::QueryTile& tile = plan_.query_tiles[unit.tile];
  const Index D = config.head_dim, q_heads_per_kv_head = config.n_heads / config.n_kv_heads;
  const auto softmax_of = [&](Index h) {
    const Index first = unit.first_partial * config.n_heads + (unit.split * config.n_heads + h) * tile.n_rows;
    return OnlineSoftmax{MatrixMap(partials_.row(first).data(), tile.n_rows, D + 2), D};
  };
  for (Index g = 0; g < q_heads_per_kv_head; ++g) softmax_of(kv_head * q_heads_per_kv_head + g).clear();

  for (int i = unit.split; i < tile.n_kv_tiles; i += unit.n_splits) {
    const AttentionPlan::KvTile& keys = plan_.kv_tiles[tile.first_kv_tile + i];
    if (!keys.is_cached && k.rows() == 0) continue;

    // Find the numbers of the KV tile: side by side in the cache, a row apart in the batch
    using Tile = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
    const auto tile_of = [&](const float* first, Index stride) {
      return Tile(first, keys.n, D, Eigen::OuterStride<>(stride));
    };
    const float *key_numbers, *value_numbers;
    if (keys.is_cached) {
      const CachedHead head = cached_heads(kv_head);
      key_numbers = head.keys.row(keys.first).data();
      value_numbers = head.values.row(keys.first).data();
    } else {
      key_numbers = k.row(keys.first).data() + kv_head * D;
      value_numbers = v.row(keys.first).data() + kv_head * D;
    }
    const Tile key_tile = tile_of(key_numbers, keys.is_cached ? D : k.outerStride());
    const Tile value_tile = tile_of(value_numbers, keys.is_cached ? D : v.outerStride());
    const auto sees = [&](int r, int s) { return AttentionPlan::sees(batch, tile.first_row + r, keys, s); };

    // 0 * NaN is NaN: what is hidden must not even be multiplied
    const bool is_harmless = keys.is_seen_whole || value_tile.allFinite();
    MatrixRef weights = weights_[thread_index()].topLeftCorner(tile.n_rows, keys.n);
    for (Index g = 0; g < q_heads_per_kv_head; ++g) {
      // Score
      const Index h = kv_head * q_heads_per_kv_head + g;
      const auto queries = q.block(tile.first_row, h * D, tile.n_rows, D);
      if (tile.n_rows == 1)
        weights.noalias() = queries.lazyProduct(key_tile.transpose());  // faster for vectors this short
      else
        weights.noalias() = queries * key_tile.transpose();
      weights /= std::sqrt(float(D));

      // Mask
      if (!keys.is_seen_whole) {
        for (int r = 0; r < tile.n_rows; ++r) {
          for (int s = 0; s < keys.n; ++s) {
            if (!sees(r, s)) weights(r, s) = kMinusInfinity;
          }
        }
      }

      // Weigh, and add the values
      OnlineSoftmax softmax = softmax_of(h);
      for (int r = 0; r < tile.n_rows; ++r) {
        if (!softmax.update(r, weights.row(r).array())) weights.row(r).setZero();
      }
      if (is_harmless) {
        softmax.state.leftCols(D).noalias() += weights * value_tile;
      } else {
        for (int r = 0; r < tile.n_rows; ++r) {
          for (int s = 0; s < keys.n; ++s) {
            if (sees(r, s)) softmax.state.row(r).head(D) += weights(r, s) * value_tile.row(s);
          }
        }
      }
    }
  }
}

/// out = (sum of all splits' outputs) / (sum of their sums), after bringing them to one maximum.
void TiledAttention::merge_splits(const Config& config, const Unit& first_unit, MatrixRef& out) const {
  const AttentionPlan::QueryTile& tile = plan_.query_tiles[first_unit.tile];
  const Index D = config.head_dim, step = Index(config.n_heads) * tile.n_rows;
  for (int h = 0; h < config.n_heads; ++h) {
    for (int r = 0; r < tile.n_rows; ++r) {
      const Index first = first_unit.first_partial * config.n_heads + Index(h) * tile.n_rows + r;
      float m = kMinusInfinity, sum = 0;
      for (int split = 0; split < first_unit.n_splits; ++split) m = std::max(m, partials_(first + split * step, D));
      auto mixed = out.row(tile.first_row + r).segment(h * D, D);
      mixed.setZero();
      for (int split = 0; split < first_unit.n_splits; ++split) {
        const auto part = partials_.row(first + split * step);
        const float alpha = rescale(part[D], m);
        mixed += alpha * part.head(D);
        sum += alpha * part[D + 1];
      }
      mixed /= sum;
    }
  }
}

Ops tiled_ops() {
  Ops ops = naive_ops();
  const auto tiled = std::make_shared<TiledAttention>();
  ops.begin_step = [tiled](const Batch& batch) { tiled->begin_step(batch); };
  ops.end_step = [tiled] { tiled->end_step(); };
  ops.attention = [tiled](const Config& config, int, const ConstMatrixRef& q, const ConstMatrixRef& k,
                          const ConstMatrixRef& v, const Batch& batch,
                          MatrixRef out) { tiled->attend(config, q, k, v, batch, out); };
  return ops;
}

}  // namespace waitless
