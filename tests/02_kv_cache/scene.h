#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "cached_attention.h"
#include "common/testing/compare.h"
#include "common/testing/random_model.h"

namespace waitless {

using MatrixXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A model of one layer of attention, so far as attention asks.
inline Config attention_shape(int n_heads, int n_kv_heads, int head_dim) {
  Config config;
  config.n_layers = 1;
  config.n_heads = n_heads;
  config.n_kv_heads = n_kv_heads;
  config.head_dim = head_dim;
  return config;
}

/// The rows of a batch as they come out of the projections.
struct Rows {
  Matrix q, k, v;
};

inline Rows random_rows(const Config& config, const Batch& batch, std::uint64_t seed) {
  const Index T = batch.n_rows();
  return {random_matrix(T, config.q_dim(), seed) * 3, random_matrix(T, config.kv_dim(), seed + 1),
          random_matrix(T, config.kv_dim(), seed + 2)};
}

/// A token that went through, and what a cache should remember of it.
struct Remembered {
  int sequence, position;
  Matrix k, v;    // [1, kv_dim]
  int row;        // of the batch that it came with
  int slot = -1;  // where a test put it, if that is the test's business
};

/// What a cache should remember, told token by token.
struct Memory {
  std::vector<Remembered> tokens;
  std::size_t n_before_latest = 0;  // tokens that are older than the latest batch

  void add(const Batch& batch, const Rows& rows) {
    n_before_latest = tokens.size();
    for (int t = 0; t < rows.k.rows(); ++t) {
      if (batch.is_stored[t]) tokens.push_back({batch.sequence[t], batch.position[t], rows.k.row(t), rows.v.row(t), t});
    }
  }

  // As the functions of SlotTable.

  void keep(const std::vector<int>& rows) {
    const auto is_gone = [&](const Remembered& it) {
      return std::find(rows.begin(), rows.end(), it.row) == rows.end();
    };
    tokens.erase(std::remove_if(tokens.begin() + std::ptrdiff_t(n_before_latest), tokens.end(), is_gone), tokens.end());
  }
  void fork(int from, int to) {
    const std::vector<Remembered> all = tokens;
    for (Remembered it : all) {
      if (it.sequence != from) continue;
      it.sequence = to;
      tokens.push_back(it);
    }
  }
  void evict(int sequence, int first, int last) {
    std::erase_if(tokens, [&](const Remembered& it) {
      return it.sequence == sequence && first <= it.position && it.position <= last;
    });
  }
  void truncate(int sequence, int n_positions) { evict(sequence, n_positions, std::numeric_limits<int>::max()); }
};

/// Attention over what is remembered and over the batch itself, in double precision with plain loops.
inline MatrixXd oracle_attention(const Config& config, const Memory& memory, const Batch& batch, const Rows& rows) {
  const int T = batch.n_rows(), D = config.head_dim;
  MatrixXd out = MatrixXd::Zero(T, config.q_dim());
  for (int t = 0; t < T; ++t) {
    for (int h = 0; h < config.n_heads; ++h) {
      const int kv = h / (config.n_heads / config.n_kv_heads) * D;
      std::vector<double> scores;
      std::vector<const float*> values;
      const auto add = [&](const float* k, const float* v) {
        double score = 0;
        for (int d = 0; d < D; ++d) score += double(rows.q(t, h * D + d)) * double(k[kv + d]);
        scores.push_back(score / std::sqrt(double(D)));
        values.push_back(v + kv);
      };
      for (const Remembered& it : memory.tokens) {
        if (batch.sees_cached(t, it.sequence, it.position)) add(it.k.data(), it.v.data());
      }
      for (int s = 0; s < rows.k.rows(); ++s) {
        if (batch.sees(t, s)) add(rows.k.row(s).data(), rows.v.row(s).data());
      }
      const double highest = *std::max_element(scores.begin(), scores.end());
      double total = 0;
      for (std::size_t i = 0; i < scores.size(); ++i) {
        const double weight = std::exp(scores[i] - highest);
        total += weight;
        for (int d = 0; d < D; ++d) out(t, h * D + d) += weight * double(values[i][d]);
      }
      for (int d = 0; d < D; ++d) out(t, h * D + d) /= total;
    }
  }
  return out;
}

/// A cache of one layer, the tokens that went through it, and the same tokens as the oracle remembers them.
struct Scene {
  Config config;
  KvCache cache;
  Ops ops;
  Memory memory;

  Scene(const Config& c, int n_slots, Ops (*ops_of_cache)(KvCache&, const Ops&) = cached_ops)
      : config(c), cache(c, n_slots), ops(ops_of_cache(cache, naive_ops())) {}
  Scene(const Scene&) = delete;

  /// Sends a batch through; its output.
  Matrix attend(const Batch& batch, const Rows& rows) {
    Matrix out = Matrix::Constant(batch.n_rows(), config.q_dim(), 99.0f);
    ops.begin_step(batch);
    ops.attention(config, 0, rows.q, rows.k, rows.v, batch, out);
    ops.end_step();
    return out;
  }

  /// Sends a batch through, compares, remembers it.
  testing::AssertionResult right(const Batch& batch, const char* hint = "") {
    const Rows rows = random_rows(config, batch, seed_ += 10);
    const MatrixXd truth = oracle_attention(config, memory, batch, rows);
    const auto result = near(truth, attend(batch, rows), 2e-6, hint);
    remember(batch, rows);
    return result;
  }

  void remember(const Batch& batch, const Rows& rows) { memory.add(batch, rows); }

  // As the functions of SlotTable, of the cache and of the oracle alike.

  void keep(const std::vector<int>& rows) {
    cache.slots.keep(rows);
    memory.keep(rows);
  }
  void fork(int from, int to) {
    cache.slots.fork(from, to);
    memory.fork(from, to);
  }
  void evict(int sequence, int first, int last) {
    cache.slots.evict(sequence, first, last);
    memory.evict(sequence, first, last);
  }
  void truncate(int sequence, int n_positions) {
    cache.slots.truncate(sequence, n_positions);
    memory.truncate(sequence, n_positions);
  }

 private:
  std::uint64_t seed_ = 1;
};

/// Calls tell(batch, hint) for batches of every kind in turn, on a cache that is grown, rolled back, forked and punched
/// with holes between them.
/// @param scene a Scene, or what has its keep(), fork(), evict() and truncate()
template <class AnyScene>
void for_each_situation(AnyScene& scene, const std::function<void(const Batch&, const char*)>& tell) {
  tell(Batch::causal(0, 0, 70), "(a prompt)");
  tell(Batch::causal(0, 70, 1), "(a token behind it)");
  tell(Batch::bidirectional_block(0, 71, 9), "(a block: rows that are not stored are read from k and v)");
  tell(Batch::bidirectional_block(0, 60, 4), "(a block over what is cached: seen up to last_visible)");
  Batch tree = Batch::tree(0, 71, {Batch::kRoot, 0, 0, 1, 2, Batch::kRoot, 5, 3, 3});
  tell(tree, "(a row of a tree sees a sibling's branch)");

  tree.is_stored.assign(9, true);
  tell(tree, "(a tree that is stored sees itself as one that is not)");
  scene.keep({0, 2, 4});
  tell(Batch::causal(0, 74, 1), "(decoding goes on behind the accepted path of a tree)");

  scene.fork(0, 1);
  Batch both = Batch::causal(1, 75, 1);
  both.append(Batch::causal(0, 75, 2));
  tell(both, "(two owners of a prefix, each with a continuation of its own)");
  scene.truncate(0, 40);
  tell(both, "(one owner was rolled back, the other was not)");

  scene.evict(1, 10, 29);
  tell(Batch::causal(1, 77, 1), "(tokens were evicted from the middle)");
  tell(Batch::causal(1, 78, 12), "(a chunk over slots that do not lie side by side)");

  for (int t = 0; t < 6; ++t) {
    Batch interleaved = Batch::causal(2, t, 1);
    interleaved.append(Batch::causal(3, t, 1));
    tell(interleaved, "(two sequences whose slots alternate)");
  }
  Batch gist = Batch::causal(2, 6, 4);
  gist.first_visible.assign(4, 5);
  tell(gist, "(rows that see nothing before position 5)");
  Batch reader = Batch::causal(4, 0, 3);
  reader.context.assign(3, {3, 1, 4});
  tell(reader, "(rows that also see positions 1 to 4 of sequence 3)");
  tell(Batch::prefix_causal(5, 0, 9, 6), "(a prefix sees itself both ways)");
  Batch between = Batch::causal(5, 4, 1);
  between.is_stored[0] = false;
  tell(between, "(a query at position 4 does not see position 5)");
}

}  // namespace waitless
