#include "cached_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "01_naive_generation/forward.h"
#include "common/not_implemented.h"
#include "common/tensor/parallel.h"

namespace waitless {

// SOLUTION_BEGIN(2.3)
namespace {

constexpr int kSpan = 256;     // keys that are handled together: those of one head stay in the cache of a core
constexpr int kTileRows = 64;  // queries that share a matrix product
constexpr int kFewRows = 8;    // fewer queries than this are handled one by one: a product of a few rows is slow
constexpr int kSplits = 8;     // shares of the keys of a single query, for the threads

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

using Tile = AttentionScratch::Tile;
using Unit = AttentionScratch::Unit;

/// exp(from - to), and 0 where nothing has been seen yet.
float rescale(float from, float to) { return from == kMinusInfinity ? 0.0f : std::exp(from - to); }

/// Cuts the batch into tiles, and those into units.
void plan(const Config& config, const Batch& batch, AttentionScratch& scratch) {
  scratch.tiles.clear();
  scratch.units.clear();
  Index n_partials = 0;
  const int T = batch.n_rows();
  for (int first = 0, end; first < T; first = end) {
    for (end = first + 1; end < T && batch.sequence[end] == batch.sequence[first];) ++end;
    const bool is_few = end - first < kFewRows;
    for (int row = first; row < end;) {
      const int n_rows = is_few ? 1 : std::min(kTileRows, end - row), n_splits = is_few ? kSplits : 1;
      for (int split = 0; split < n_splits; ++split) {
        for (int kv_head = 0; kv_head < config.n_kv_heads; ++kv_head) {
          scratch.units.push_back({int(scratch.tiles.size()), kv_head, split});
        }
      }
      scratch.tiles.push_back({row, n_rows, n_splits, n_partials});
      n_partials += Index(n_splits) * n_rows * config.n_heads;
      row += n_rows;
    }
  }
  if (scratch.partials.rows() < n_partials) scratch.partials.resize(n_partials, config.head_dim + 2);
}

/// Calls run(first, n) for all runs of neighbours in [0, end) that belong, cut into spans; of those the ones of a
/// split.
template <class Belongs, class Run>
void for_each_run(int end, const Tile& tile, int split, const Belongs& belongs, const Run& run) {
  for (int span = split * kSpan; span < end; span += tile.n_splits * kSpan) {
    const int span_end = std::min(span + kSpan, end);
    for (int first = span, last; first < span_end; first = last) {
      for (last = first; last < span_end && belongs(last);) ++last;
      if (last > first)
        run(first, last - first);
      else
        ++last;
    }
  }
}

/// The work of one unit: softmax in one pass over its share of the keys. The state of a row and head is the largest
/// score m so far, and the sum l and the output o under the weights exp(score - m).
class UnitWork {
 public:
  UnitWork(const Config& config, const ConstMatrixRef& q, const Tile& tile, const Unit& unit, AttentionScratch& scratch)
      : q_(q), tile_(tile), unit_(unit), D_(config.head_dim), group_(config.n_heads / config.n_kv_heads) {
    const Index rows_before = (Index(unit.split) * config.n_heads + unit.kv_head * group_) * tile.n_rows;
    first_ = scratch.partials.row(tile.first_partial + rows_before).data();
    for (Index g = 0; g < group_; ++g) {
      MatrixMap state = state_of(g);
      state.setZero();
      state.col(D_).setConstant(kMinusInfinity);
    }
  }

  /// keys, values [n, D], n <= kSpan; sees(t, i): whether row t of the batch sees key i of these.
  template <class Sees>
  void absorb(const ConstMatrixRef& keys, const ConstMatrixRef& values, const Sees& sees) {
    thread_local Matrix visible_of_thread(kTileRows, kSpan), weights_of_thread(kTileRows, kSpan);
    MatrixRef visible = visible_of_thread.topLeftCorner(tile_.n_rows, keys.rows());
    MatrixRef weights = weights_of_thread.topLeftCorner(tile_.n_rows, keys.rows());
    bool is_any_visible = false;
    for (int r = 0; r < tile_.n_rows; ++r) {
      for (int i = 0; i < int(keys.rows()); ++i) {
        const bool is_visible = sees(tile_.first_row + r, i);
        visible(r, i) = is_visible ? 1.0f : 0.0f;
        is_any_visible |= is_visible;
      }
    }
    if (!is_any_visible) return;

    for (Index g = 0; g < group_; ++g) {
      const Index column = (unit_.kv_head * group_ + g) * D_;
      const auto queries = q_.block(tile_.first_row, column, tile_.n_rows, D_);
      if (tile_.n_rows == 1)
        weights.noalias() = queries.lazyProduct(keys.transpose());  // faster for vectors this short
      else
        weights.noalias() = queries * keys.transpose();
      MatrixMap state = state_of(g);
      for (int r = 0; r < tile_.n_rows; ++r) weigh(visible.row(r).array(), weights.row(r).array(), state.row(r));
      state.leftCols(D_).noalias() += weights * values;
    }
  }

 private:
  MatrixMap state_of(Index g) const { return {first_ + g * tile_.n_rows * (D_ + 2), tile_.n_rows, D_ + 2}; }

  /// Turns scores into weights, and carries the state over to the new maximum.
  template <class Visible, class Scores, class State>
  void weigh(const Visible& visible, Scores&& scores, State&& state) const {
    scores = (visible > 0.0f).select(scores / std::sqrt(float(D_)), kMinusInfinity);
    const float m_before = state[D_], m = std::max(m_before, scores.maxCoeff());
    if (m == kMinusInfinity) {
      scores.setZero();
      return;
    }
    scores = (scores - m).exp() * visible;  // Eigen's exp(-infinity) may be just above 0
    state.head(D_) *= rescale(m_before, m);
    state[D_] = m;
    state[D_ + 1] = state[D_ + 1] * rescale(m_before, m) + scores.sum();
  }

  const ConstMatrixRef& q_;
  const Tile& tile_;
  const Unit& unit_;
  const Index D_, group_;
  float* first_;  // of the states, [n_rows, D + 2] for each head of the group
};

/// out = (sum of all splits' outputs) / (sum of their sums), after bringing them to one maximum.
void merge_splits(const Config& config, const Tile& tile, const AttentionScratch& scratch, MatrixRef& out) {
  const Index D = config.head_dim, step = Index(config.n_heads) * tile.n_rows;
  for (int h = 0; h < config.n_heads; ++h) {
    for (int r = 0; r < tile.n_rows; ++r) {
      const Index first = tile.first_partial + Index(h) * tile.n_rows + r;
      float m = kMinusInfinity, sum = 0;
      for (int split = 0; split < tile.n_splits; ++split) m = std::max(m, scratch.partials(first + split * step, D));
      auto mixed = out.row(tile.first_row + r).segment(h * D, D);
      mixed.setZero();
      for (int split = 0; split < tile.n_splits; ++split) {
        const auto part = scratch.partials.row(first + split * step);
        const float share = rescale(part[D], m);
        mixed += share * part.head(D);
        sum += share * part[D + 1];
      }
      mixed /= sum;
    }
  }
}

}  // namespace
// SOLUTION_END(2.3)

void cached_attention(const Config& config, const KvCache& cache, int layer, const ConstMatrixRef& q,
                      const ConstMatrixRef& k, const ConstMatrixRef& v, const Batch& batch, AttentionScratch& scratch,
                      MatrixRef out) {
  // EXERCISE(2.3): check the shapes; then for each row and head: scores of the keys it sees, in the cache and among the
  // rows without a slot; softmax; weighted sum of the values.
  // SOLUTION_BEGIN(2.3)
  const Index T = batch.n_rows(), D = config.head_dim;
  check_shape("cached_attention: q", q, T, config.q_dim());
  check_shape("cached_attention: k", k, T, config.kv_dim());
  check_shape("cached_attention: v", v, T, config.kv_dim());
  check_shape("cached_attention: out", out, T, config.q_dim());

  plan(config, batch, scratch);
  const Index n_units = Index(scratch.units.size());
  parallel_for(n_units, [&](Index u) {
    // Rows late in a prompt see more than early ones; dealt from both ends, each thread gets some of either.
    const Unit& unit = scratch.units[u % 2 == 0 ? u / 2 : n_units - 1 - u / 2];
    const Tile& tile = scratch.tiles[unit.tile];
    const int sequence = batch.sequence[tile.first_row];
    UnitWork work(config, q, tile, unit, scratch);

    const auto keys = cache.keys(layer, unit.kv_head), values = cache.values(layer, unit.kv_head);
    const auto is_of_sequence = [&](int slot) { return cache.sequence(slot) == sequence; };
    for_each_run(cache.end_slot(), tile, unit.split, is_of_sequence, [&](int first, int n) {
      work.absorb(keys.middleRows(first, n), values.middleRows(first, n), [&](int t, int i) {
        const int row = cache.batch_row(first + i);
        return row >= 0 ? batch.sees(t, row) : batch.sees_cached(t, sequence, cache.position(first + i));
      });
    });

    const auto is_not_stored = [&](int s) {
      return batch.slot[s] == Batch::kNotStored && batch.sequence[s] == sequence;
    };
    for_each_run(int(T), tile, unit.split, is_not_stored, [&](int first, int n) {
      work.absorb(k.block(first, unit.kv_head * D, n, D), v.block(first, unit.kv_head * D, n, D),
                  [&](int t, int i) { return batch.sees(t, first + i); });
    });
  });
  parallel_for(Index(scratch.tiles.size()), [&](Index i) { merge_splits(config, scratch.tiles[i], scratch, out); });
  // SOLUTION_END(2.3)
}

Ops cached_ops(const Config& config, KvCache& cache) {
  Ops ops = naive_ops(config);
  ops.attention = [config, &cache, scratch = std::make_shared<AttentionScratch>()](
                      int layer, const auto& q, const auto& k, const auto& v, const Batch& batch, MatrixRef out) {
    cache.append(layer, k, v, batch);
    cached_attention(config, cache, layer, q, k, v, batch, *scratch, out);
  };
  return ops;
}

}  // namespace waitless
