#include "cached_attention.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "01_naive_generation/attention.h"
#include "common/testing/allocation_counter.h"
#include "scene.h"

namespace waitless {
namespace {

// Grades exercise 2.5.
TEST(CachedAttention, OfOneHeadAndTwoTokensIsTheHandComputedMix) {
  // Oracle: by hand. Head of 4: the scores of the second token are (0, 2 ln 3) / sqrt(4), so its weights are 1 : 3.
  const float two_ln_3 = 2.1972246f;
  Scene scene(attention_shape(1, 1, 4), 2);
  const Rows first{Matrix{{0, 0, 0, 0}}, Matrix{{0, 0, 0, 0}}, Matrix{{4, 0, 0, 8}}};
  const Rows second{Matrix{{1, 0, 0, 0}}, Matrix{{two_ln_3, 0, 0, 0}}, Matrix{{8, 4, 0, 0}}};
  EXPECT_TRUE(near(Matrix{{4, 0, 0, 8}}, scene.attend(Batch::causal(0, 0, 1), first), 1e-6));
  EXPECT_TRUE(near(Matrix{{7, 3, 0, 2}}, scene.attend(Batch::causal(0, 1, 1), second), 1e-6,
                   "(the cached token and the new one, scores divided by sqrt(head_dim))"));
}

// Grades exercise 2.5.
TEST(CachedAttention, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision. Multi-head, grouped and multi-query; a prompt, a chunk of 5, then single tokens.
  for (const auto& [prompt, heads, kv_heads, head_dim] : {std::tuple{1, 1, 1, 2},
                                                          {31, 4, 4, 6},
                                                          {33, 6, 2, 8},
                                                          {7, 4, 1, 16},
                                                          {65, 9, 3, 64},
                                                          {130, 4, 2, 32},
                                                          {600, 2, 1, 8}}) {
    Scene scene(attention_shape(heads, kv_heads, head_dim), prompt + 8);
    EXPECT_TRUE(scene.right(Batch::causal(0, 0, prompt))) << prompt << " tokens at once";
    EXPECT_TRUE(scene.right(Batch::causal(0, prompt, 5), "(a chunk sees the cache and itself)"))
        << "5 behind " << prompt;
    for (int i = 5; i < 8; ++i) {
      EXPECT_TRUE(scene.right(Batch::causal(0, prompt + i, 1), "(query head h uses head h / (n_heads / n_kv_heads))"))
          << heads << " heads on " << kv_heads << ", head_dim " << head_dim << ", position " << prompt + i;
    }
  }
}

// Grades exercise 2.5.
TEST(CachedAttention, GivesWhatTheNaiveOneGives) {
  // Oracle: the naive twin, chapter 01's attention over all tokens at once; every split of 12 into two.
  const Config config = attention_shape(4, 2, 6);
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

// Grades exercise 2.5.
TEST(CachedAttention, SeesWhatEachKindOfRowMaySee) {
  // Oracle: double precision. Prompts, blocks, trees, forks, evicted tokens, several sequences.
  for (const auto& [heads, kv_heads, head_dim] : {std::tuple{4, 2, 6}, {3, 1, 16}}) {
    Scene scene(attention_shape(heads, kv_heads, head_dim), 200);
    for_each_situation(scene, [&](const Batch& batch, const char* what) { EXPECT_TRUE(scene.right(batch, what)); });
  }
}

// Grades exercise 2.5.
TEST(CachedAttention, ReadsTheLayerItIsAskedFor) {
  // Oracle: invariance. The keys and values of another layer do not matter.
  Config config = attention_shape(4, 2, 6);
  config.n_layers = 2;
  const Batch prompt = Batch::causal(0, 0, 5), next = Batch::causal(0, 5, 1);
  const Rows prompt_rows = random_rows(config, prompt, 1), next_rows = random_rows(config, next, 2);
  KvCache first(config, 6), second(config, 6);
  Matrix of_first(1, config.q_dim()), of_second(1, config.q_dim());
  for (const int layer : {0, 1}) {
    KvCache& cache = layer == 0 ? first : second;
    cache.slots.begin(prompt);
    cache.append(layer, prompt_rows.k, prompt_rows.v);
    cache.slots.commit();
    cached_attention(config, cache, layer, next_rows.q, next_rows.k, next_rows.v, next,
                     layer == 0 ? of_first : of_second);
  }
  EXPECT_TRUE(near(of_first, of_second, 1e-6, "(the cached keys and values of this layer)"));
}

// Grades exercise 2.5.
TEST(CachedAttention, TakesRowsThatBringNoKeys) {
  // Oracle: double precision. A drafter that reads another model's cache has queries only (chapter 08).
  Scene scene(attention_shape(4, 2, 6), 20);
  EXPECT_TRUE(scene.right(Batch::causal(0, 0, 9)));
  Batch batch = Batch::causal(0, 8, 3);
  batch.is_stored.assign(3, false);
  Rows rows = random_rows(scene.config, batch, 77);
  rows.k.resize(0, scene.config.kv_dim());
  rows.v.resize(0, scene.config.kv_dim());
  EXPECT_TRUE(near(oracle_attention(scene.config, scene.memory, batch, rows), scene.attend(batch, rows), 2e-6));
}

// Grades exercise 2.5.
TEST(CachedAttention, IsNotMovedByWhatIsHidden) {
  // Oracle: invariance. Infinity and NaN in another sequence's slots, in evicted slots, and in a later
  // token.
  const float inf = std::numeric_limits<float>::infinity();
  const Config config = attention_shape(4, 2, 6);
  const auto outputs = [&](float poison) {
    Scene scene(config, 30);
    const auto send = [&](const Batch& batch, std::uint64_t seed, bool is_poisoned) {
      Rows rows = random_rows(config, batch, seed);
      if (is_poisoned && poison != 0) {
        rows.k.bottomRows(1).setConstant(1);
        rows.v.bottomRows(1).setConstant(poison);
      }
      return scene.attend(batch, rows);
    };
    send(Batch::causal(1, 0, 3), 1, true);
    send(Batch::causal(0, 0, 4), 2, true);
    scene.cache.slots.evict(0, 3, 3);
    const Matrix chunk = send(Batch::causal(0, 4, 6), 3, true).topRows(5);
    scene.cache.slots.truncate(0, 9);
    Matrix out(6, chunk.cols());
    out << chunk, send(Batch::causal(0, 9, 1), 4, false);
    return out;
  };
  for (const float poison : {inf, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_TRUE(
        near(outputs(0), outputs(poison), 1e-6, "(0 times infinity is NaN: what is hidden must not be multiplied)"));
  }
}

// Grades exercise 2.5.
TEST(CachedAttention, DoesNotNoticeOtherSequences) {
  // Oracle: invariance. 60 other sequences in the cache, and in the batch, change nothing for this one.
  const Config config = attention_shape(2, 1, 4);
  const Batch prompt = Batch::causal(7, 0, 5), next = Batch::causal(7, 5, 1);
  const Rows prompt_rows = random_rows(config, prompt, 1), next_rows = random_rows(config, next, 2);
  Scene alone(config, 10), crowded(config, 500);
  for (int other = 100; other < 160; ++other) {
    const Batch batch = Batch::causal(other, 0, 3);
    crowded.attend(batch, random_rows(config, batch, other));
  }
  EXPECT_TRUE(near(alone.attend(prompt, prompt_rows), crowded.attend(prompt, prompt_rows), 1e-6));
  Batch crowd = next;
  for (int other = 100; other < 160; ++other) crowd.append(Batch::causal(other, 3, 1));
  Rows crowd_rows = random_rows(config, crowd, 3);
  crowd_rows.q.topRows(1) = next_rows.q;
  crowd_rows.k.topRows(1) = next_rows.k;
  crowd_rows.v.topRows(1) = next_rows.v;
  EXPECT_TRUE(near(alone.attend(next, next_rows), crowded.attend(crowd, crowd_rows).topRows(1), 1e-6));
}

// Grades exercise 2.5.
TEST(CachedAttention, DoesNotVanishOnVeryNegativeScores) {
  // Oracle: by hand. Both scores are -200, so both values weigh the same: a maximum that starts at 0 gives 0 / 0.
  Scene scene(attention_shape(1, 1, 1), 2);
  scene.attend(Batch::causal(0, 0, 1), {Matrix{{1}}, Matrix{{-200}}, Matrix{{1}}});
  EXPECT_TRUE(near(Matrix{{2}}, scene.attend(Batch::causal(0, 1, 1), {Matrix{{1}}, Matrix{{-200}}, Matrix{{3}}}), 1e-6,
                   "(the maximum starts at -infinity)"));
}

// Grades exercise 2.5.
TEST(CachedAttention, DoesNotSeeWhatWasRolledBack) {
  // Oracle: invariance. After truncation the token that was taken back must not matter, whatever its slot still holds.
  const Config config = attention_shape(4, 2, 6);
  const Batch prompt = Batch::causal(0, 0, 4), wrong = Batch::causal(0, 4, 3), right = Batch::causal(0, 4, 1);
  Scene fresh(config, 10), rolled_back(config, 10);
  const Rows prompt_rows = random_rows(config, prompt, 1), right_rows = random_rows(config, right, 2);
  Rows wrong_rows = random_rows(config, wrong, 3);
  wrong_rows.v.bottomRows(1).setConstant(std::numeric_limits<float>::quiet_NaN());
  fresh.attend(prompt, prompt_rows);
  rolled_back.attend(prompt, prompt_rows);
  rolled_back.attend(wrong, wrong_rows);
  rolled_back.cache.slots.truncate(0, 4);
  EXPECT_TRUE(
      near(fresh.attend(right, right_rows), rolled_back.attend(right, right_rows), 1e-6, "(stale rows are visible)"));
}

// Grades exercise 2.5.
TEST(CachedAttention, DoesNotOverflowOnLargeScores) {
  // Oracle: double precision, which needs no maximum subtracted at these sizes: scores up to about 200.
  const Config config = attention_shape(2, 1, 4);
  Scene scene(config, 80);
  const Batch prompt = Batch::causal(0, 0, 70), next = Batch::causal(0, 70, 1);
  Rows rows = random_rows(config, prompt, 1), last = random_rows(config, next, 2);
  rows.q *= 30;
  last.q *= 30;
  const MatrixXd truth = oracle_attention(config, scene.memory, prompt, rows);
  EXPECT_TRUE(near(truth, scene.attend(prompt, rows), 2e-5));
  scene.remember(prompt, rows);
  EXPECT_TRUE(near(oracle_attention(config, scene.memory, next, last), scene.attend(next, last), 2e-5,
                   "(subtract the largest score)"));
}

// Grades exercise 2.5.
TEST(CachedAttention, RefusesShapesThatDoNotFit) {
  // Oracle: the header.
  const Config config = attention_shape(4, 2, 6);
  Scene scene(config, 8);
  const Batch batch = Batch::causal(0, 0, 3);
  const Rows rows = random_rows(config, batch, 1);
  Matrix out(3, 24), narrow(3, 12);
  const auto attend = [&](const Matrix& q, const Matrix& k, const Matrix& v, const Batch& b, MatrixRef o) {
    cached_attention(config, scene.cache, 0, q, k, v, b, o);
  };
  EXPECT_THROW(attend(rows.k, rows.k, rows.v, batch, out), std::invalid_argument);
  EXPECT_THROW(attend(rows.q, rows.q, rows.v, batch, out), std::invalid_argument);
  EXPECT_THROW(attend(rows.q, rows.k, rows.q, batch, out), std::invalid_argument);
  EXPECT_THROW(attend(rows.q, rows.k, rows.v, batch, narrow), std::invalid_argument);
  EXPECT_THROW(attend(rows.q, rows.k, rows.v, Batch::causal(0, 0, 2), out), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
