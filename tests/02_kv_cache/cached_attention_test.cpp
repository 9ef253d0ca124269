#include "cached_attention.h"

#include <gtest/gtest.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <cmath>
#include <limits>
#include <vector>

#include "01_naive_generation/attention.h"
#include "common/testing/allocation_counter.h"
#include "common/testing/compare.h"
#include "common/testing/random_model.h"

namespace waitless {
namespace {

using MatrixXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// 0: as many as at the start. Without OpenMP there is always one.
void set_threads([[maybe_unused]] int n) {
#ifdef _OPENMP
  static const int at_start = omp_get_max_threads();
  omp_set_num_threads(n == 0 ? at_start : n);
#endif
}

Config shape(int n_heads, int n_kv_heads, int head_dim) {
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

Rows random_rows(const Config& config, const Batch& batch, std::uint64_t seed) {
  const Index T = batch.n_rows();
  return {random_matrix(T, config.q_dim(), seed) * 3, random_matrix(T, config.kv_dim(), seed + 1),
          random_matrix(T, config.kv_dim(), seed + 2)};
}

/// A cache of one layer and the tokens that went through it, in order.
struct Scene {
  Config config;
  KvCache cache;
  AttentionScratch scratch;
  Batch seen;  // all earlier batches, one after the other
  Matrix all_k, all_v;

  Scene(const Config& c, int capacity) : config(c), cache(c, capacity), all_k(0, c.kv_dim()), all_v(0, c.kv_dim()) {}

  /// Sends a batch through; its output.
  Matrix attend(const Batch& batch, const Rows& rows) {
    Matrix out = Matrix::Constant(batch.n_rows(), config.q_dim(), 99.0f);
    cache.append(0, rows.k, rows.v, batch);
    cached_attention(config, cache, 0, rows.q, rows.k, rows.v, batch, scratch, out);
    return out;
  }

  /// In double precision with plain loops: everything stored before, then the batch itself.
  MatrixXd expected(const Batch& batch, const Rows& rows) const {
    const int T = batch.n_rows(), D = config.head_dim;
    MatrixXd out = MatrixXd::Zero(T, config.q_dim());
    for (int t = 0; t < T; ++t) {
      for (int h = 0; h < config.n_heads; ++h) {
        const int kv = h / (config.n_heads / config.n_kv_heads) * D;
        double total = 0;
        const auto add = [&](const auto& k, const auto& v) {
          double score = 0;
          for (int d = 0; d < D; ++d) score += double(rows.q(t, h * D + d)) * double(k(kv + d));
          const double weight = std::exp(score / std::sqrt(double(D)));
          total += weight;
          for (int d = 0; d < D; ++d) out(t, h * D + d) += weight * double(v(kv + d));
        };
        for (int s = 0; s < seen.n_rows(); ++s) {
          if (seen.slot[s] == Batch::kNotStored || !batch.sees_cached(t, seen.sequence[s], seen.position[s])) continue;
          add(all_k.row(s), all_v.row(s));
        }
        for (int s = 0; s < T; ++s) {
          if (batch.sees(t, s)) add(rows.k.row(s), rows.v.row(s));
        }
        for (int d = 0; d < D; ++d) out(t, h * D + d) /= total;
      }
    }
    return out;
  }

  /// Remembers the batch for expected().
  void remember(const Batch& batch, const Rows& rows) {
    const Index before = all_k.rows();
    all_k.conservativeResize(before + rows.k.rows(), Eigen::NoChange);
    all_v.conservativeResize(before + rows.v.rows(), Eigen::NoChange);
    all_k.bottomRows(rows.k.rows()) = rows.k;
    all_v.bottomRows(rows.v.rows()) = rows.v;
    seen.append(batch);
  }

  /// Sends a batch through, compares, remembers it.
  testing::AssertionResult right(const Batch& batch, const char* hint = "") {
    const Rows rows = random_rows(config, batch, seed_ += 10);
    const MatrixXd truth = expected(batch, rows);
    const auto result = near(truth, attend(batch, rows), 2e-6, hint);
    remember(batch, rows);
    return result;
  }

 private:
  std::uint64_t seed_ = 1;
};

// Grades exercise 2.3.
TEST(CachedAttention, OfOneHeadAndTwoTokensIsTheHandComputedMix) {
  // Oracle: by hand. Head of 4: the scores of the second token are (0, 2 ln 3) / sqrt(4), so its weights are 1 : 3.
  const float two_ln_3 = 2.1972246f;
  Scene scene(shape(1, 1, 4), 2);
  const Rows first{Matrix{{0, 0, 0, 0}}, Matrix{{0, 0, 0, 0}}, Matrix{{4, 0, 0, 8}}};
  const Rows second{Matrix{{1, 0, 0, 0}}, Matrix{{two_ln_3, 0, 0, 0}}, Matrix{{8, 4, 0, 0}}};
  EXPECT_TRUE(near(Matrix{{4, 0, 0, 8}}, scene.attend(Batch::causal(0, 0, 1), first), 1e-6));
  EXPECT_TRUE(near(Matrix{{7, 3, 0, 2}}, scene.attend(Batch::causal(0, 1, 1), second), 1e-6,
                   "(the cached token and the new one, scores divided by sqrt(head_dim))"));
}

// Grades exercise 2.3.
TEST(CachedAttention, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision. Multi-head, grouped and multi-query; a prompt, a chunk of 5, then single tokens.
  for (const auto& [prompt, heads, kv_heads, head_dim] : {std::tuple{1, 1, 1, 2},
                                                          {31, 4, 4, 6},
                                                          {33, 6, 2, 8},
                                                          {7, 4, 1, 16},
                                                          {65, 9, 3, 64},
                                                          {130, 4, 2, 32},
                                                          {600, 2, 1, 8}}) {
    Scene scene(shape(heads, kv_heads, head_dim), prompt + 8);
    EXPECT_TRUE(scene.right(Batch::causal(0, 0, prompt))) << prompt << " tokens at once";
    EXPECT_TRUE(scene.right(Batch::causal(0, prompt, 5), "(a chunk sees the cache and itself)"))
        << "5 behind " << prompt;
    for (int i = 5; i < 8; ++i) {
      EXPECT_TRUE(scene.right(Batch::causal(0, prompt + i, 1), "(query head h uses head h / (n_heads / n_kv_heads))"))
          << heads << " heads on " << kv_heads << ", head_dim " << head_dim << ", position " << prompt + i;
    }
  }
}

// Grades exercise 2.3.
TEST(CachedAttention, GivesWhatTheNaiveOneGives) {
  // Oracle: the naive twin, chapter 01's attention over all tokens at once; every split of 12 into two.
  const Config config = shape(4, 2, 6);
  const Batch all = Batch::causal(0, 0, 12);
  const Rows rows = random_rows(config, all, 5);
  Matrix naive(12, config.q_dim());
  attention(config, rows.q, rows.k, rows.v, all, naive);
  for (int first = 1; first < 12; ++first) {
    Scene scene(config, 12);
    const int rest = 12 - first;
    const Matrix head =
        scene.attend(Batch::causal(0, 0, first), {rows.q.topRows(first), rows.k.topRows(first), rows.v.topRows(first)});
    const Matrix tail = scene.attend(Batch::causal(0, first, rest),
                                     {rows.q.bottomRows(rest), rows.k.bottomRows(rest), rows.v.bottomRows(rest)});
    EXPECT_TRUE(near(naive.topRows(first), head, 2e-6)) << first << " + " << rest;
    EXPECT_TRUE(near(naive.bottomRows(rest), tail, 2e-6)) << first << " + " << rest;
  }
}

// Grades exercise 2.3.
TEST(CachedAttention, KeepsSequencesApart) {
  // Oracle: double precision. Two sequences share the cache, their slots alternate, and a batch serves both.
  Scene scene(shape(4, 2, 6), 20);
  Batch batch;
  for (int t = 0; t < 5; ++t) {
    batch.append(Batch::causal(0, t, 1));
    batch.append(Batch::causal(1, t, 1));
  }
  for (int t = 0; t < 10; ++t) batch.slot[t] = t;
  EXPECT_TRUE(scene.right(batch));
  Batch next = Batch::causal(1, 5, 1);
  next.append(Batch::causal(0, 5, 2));
  next.slot = {10, 11, 12};
  EXPECT_TRUE(scene.right(next, "(a query sees another sequence's slots)"));
}

// Grades exercise 2.3.
TEST(CachedAttention, FollowsPositionsNotSlots) {
  // Oracle: double precision. Slots in descending order, positions with gaps; then a query between them.
  Scene scene(shape(2, 1, 4), 12);
  Batch batch = Batch::causal(0, 0, 6);
  batch.slot = {11, 9, 7, 5, 3, 1};
  batch.position = batch.horizon = {0, 2, 4, 6, 8, 10};
  EXPECT_TRUE(scene.right(batch));
  Batch between = Batch::causal(0, 5, 1);
  between.slot = {2};
  EXPECT_TRUE(scene.right(between, "(a query at position 5 does not see position 6)"));
}

// Grades exercise 2.3.
TEST(CachedAttention, LetsABlockReadTheCacheWithoutBeingStored) {
  // Oracle: double precision. The block sees itself both ways, and leaves no trace for the next query.
  Scene scene(shape(4, 2, 6), 20);
  EXPECT_TRUE(scene.right(Batch::causal(0, 0, 5)));
  EXPECT_TRUE(scene.right(Batch::bidirectional_block(0, 5, 4), "(rows without a slot are read from k and v)"));
  EXPECT_TRUE(scene.right(Batch::bidirectional_block(0, 5, 9)));
  EXPECT_TRUE(scene.right(Batch::bidirectional_block(0, 3, 4), "(older slots are seen up to the horizon)"));
  EXPECT_EQ(scene.cache.n_used(), 5);
  EXPECT_TRUE(scene.right(Batch::causal(0, 5, 1)));
}

// Grades exercise 2.3.
TEST(CachedAttention, LetsATreeSeeItsAncestorsOnly) {
  // Oracle: double precision. Siblings share a position. Once without slots, once stored in slots of their own.
  Scene scene(shape(4, 2, 6), 30);
  EXPECT_TRUE(scene.right(Batch::causal(0, 0, 5)));
  Batch tree = Batch::tree(0, 5, {Batch::kRoot, 0, 0, 1, 2, Batch::kRoot, 5, 3, 3});
  EXPECT_TRUE(scene.right(tree, "(a row sees a sibling's branch)"));
  tree.slot = {20, 21, 22, 23, 24, 25, 26, 27, 28};
  EXPECT_TRUE(scene.right(tree, "(for slots of this batch ask batch.sees)"));
}

// Grades exercise 2.3.
TEST(CachedAttention, LetsAPrefixSeeItselfBothWays) {
  // Oracle: double precision. Prefix language model: the first 6 of 9 tokens see each other.
  Scene scene(shape(2, 2, 4), 12);
  EXPECT_TRUE(scene.right(Batch::prefix_causal(0, 0, 9, 6)));
  EXPECT_TRUE(scene.right(Batch::causal(0, 9, 1)));
}

// Grades exercise 2.3.
TEST(CachedAttention, DoesNotSeeWhatWasRolledBack) {
  // Oracle: invariance. After truncation the token that was taken back must not matter, whatever its slot still holds.
  const Config config = shape(4, 2, 6);
  const Batch prompt = Batch::causal(0, 0, 4), wrong = Batch::causal(0, 4, 3), right = Batch::causal(0, 4, 1);
  Scene fresh(config, 10), rolled_back(config, 10);
  const Rows prompt_rows = random_rows(config, prompt, 1), right_rows = random_rows(config, right, 2);
  Rows wrong_rows = random_rows(config, wrong, 3);
  wrong_rows.k.bottomRows(1).setConstant(std::numeric_limits<float>::quiet_NaN());
  fresh.attend(prompt, prompt_rows);
  rolled_back.attend(prompt, prompt_rows);
  rolled_back.attend(wrong, wrong_rows);
  rolled_back.cache.truncate(0, 4);
  EXPECT_EQ(fresh.attend(right, right_rows), rolled_back.attend(right, right_rows)) << "stale rows are visible";
}

// Grades exercise 2.3.
TEST(CachedAttention, DoesNotOverflowOnLargeScores) {
  // Oracle: double precision, which needs no maximum subtracted at these sizes: scores up to about 200.
  const Config config = shape(2, 1, 4);
  Scene scene(config, 80);
  const Batch prompt = Batch::causal(0, 0, 70), next = Batch::causal(0, 70, 1);
  Rows rows = random_rows(config, prompt, 1), last = random_rows(config, next, 2);
  rows.q *= 30;
  last.q *= 30;
  const MatrixXd truth = scene.expected(prompt, rows);
  EXPECT_TRUE(near(truth, scene.attend(prompt, rows), 2e-5));
  scene.remember(prompt, rows);
  EXPECT_TRUE(near(scene.expected(next, last), scene.attend(next, last), 2e-5, "(subtract the largest score)"));
}

// Grades exercise 2.3.
TEST(CachedAttention, RefusesShapesThatDoNotFit) {
  // Oracle: the header.
  const Config config = shape(4, 2, 6);
  Scene scene(config, 8);
  const Batch batch = Batch::causal(0, 0, 3);
  const Rows rows = random_rows(config, batch, 1);
  scene.cache.append(0, rows.k, rows.v, batch);
  Matrix out(3, 24), narrow(3, 12);
  const auto attend = [&](const Matrix& q, const Matrix& k, const Matrix& v, const Batch& b, MatrixRef o) {
    cached_attention(config, scene.cache, 0, q, k, v, b, scene.scratch, o);
  };
  EXPECT_THROW(attend(rows.k, rows.k, rows.v, batch, out), std::invalid_argument);
  EXPECT_THROW(attend(rows.q, rows.q, rows.v, batch, out), std::invalid_argument);
  EXPECT_THROW(attend(rows.q, rows.k, rows.q, batch, out), std::invalid_argument);
  EXPECT_THROW(attend(rows.q, rows.k, rows.v, batch, narrow), std::invalid_argument);
  EXPECT_THROW(attend(rows.q, rows.k, rows.v, Batch::causal(0, 0, 2), out), std::invalid_argument);
}

// Grades exercise 2.3.
TEST(CachedAttention, GivesTheSameBitsOnAnyNumberOfThreads) {
  // Oracle: invariance.
  const Config config = shape(9, 3, 16);
  std::vector<Matrix> results;
  for (int n_threads : {1, 2, 3}) {
    set_threads(n_threads);
    Scene scene(config, 300);
    const Batch prompt = Batch::causal(0, 0, 270), next = Batch::causal(0, 270, 1);
    scene.attend(prompt, random_rows(config, prompt, 1));
    results.push_back(scene.attend(next, random_rows(config, next, 2)));
  }
  set_threads(0);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

// Grades exercise 2.3.
TEST(CachedAttention, AllocatesNothingForAToken) {
  // Oracle: counting. The second pass over the same positions finds all memory in place.
  if (!counts_allocations) GTEST_SKIP() << "counting allocations needs glibc without a sanitizer";
  const Config config = shape(9, 3, 16);
  Scene scene(config, 300);
  const Batch prompt = Batch::causal(0, 0, 200), warm_up = Batch::causal(0, 200, 1);
  scene.attend(prompt, random_rows(config, prompt, 1));
  scene.attend(warm_up, random_rows(config, warm_up, 2));
  Batch next = Batch::causal(0, 201, 1);
  const Rows rows = random_rows(config, next, 3);
  Matrix out(1, config.q_dim());
  const std::int64_t before = allocation_count();
  for (int position = 201; position < 300; ++position) {
    next.position[0] = next.horizon[0] = position;
    next.slot[0] = position;
    scene.cache.append(0, rows.k, rows.v, next);
    cached_attention(config, scene.cache, 0, rows.q, rows.k, rows.v, next, scene.scratch, out);
  }
  EXPECT_EQ(allocation_count() - before, 0);
}

}  // namespace
}  // namespace waitless
