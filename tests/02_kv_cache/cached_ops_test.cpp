// The attention over a cache that the programs use, on everything that the simple one takes.

#include <gtest/gtest.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <vector>

#include "common/testing/allocation_counter.h"
#include "scene.h"

namespace waitless {
namespace {

/// 0: as many as at the start. Without OpenMP there is always one.
void set_threads([[maybe_unused]] int n) {
#ifdef _OPENMP
  static const int at_start = omp_get_max_threads();
  omp_set_num_threads(n == 0 ? at_start : n);
#endif
}

// Guards the tiles of chapter 01 over spans of slots.
TEST(TiledCachedOps, SeeWhatEachKindOfRowMaySee) {
  // Oracle: double precision.
  for (const auto& [heads, kv_heads, head_dim] : {std::tuple{4, 2, 6}, {3, 1, 16}, {9, 3, 64}}) {
    Scene scene(attention_shape(heads, kv_heads, head_dim), 200, tiled_cached_ops);
    for_each_situation(scene, [&](const Batch& batch, const char* what) { EXPECT_TRUE(scene.right(batch, what)); });
  }
}

// Guards KV tiles and KV splits of all sizes.
TEST(TiledCachedOps, MatchDoublePrecisionAtAnyLength) {
  // Oracle: double precision. A prompt, chunks of few and of many rows, single tokens; more than one KV tile of 256.
  for (const int prompt : {1, 255, 256, 257, 700}) {
    Scene scene(attention_shape(4, 2, 8), prompt + 40, tiled_cached_ops);
    EXPECT_TRUE(scene.right(Batch::causal(0, 0, prompt))) << prompt;
    EXPECT_TRUE(scene.right(Batch::causal(0, prompt, 5))) << prompt;
    EXPECT_TRUE(scene.right(Batch::causal(0, prompt + 5, 20))) << prompt;
    EXPECT_TRUE(scene.right(Batch::causal(0, prompt + 25, 1))) << prompt;
  }
}

// Guards what a drafter asks for.
TEST(TiledCachedOps, TakeRowsThatBringNoKeys) {
  // Oracle: double precision.
  Scene scene(attention_shape(4, 2, 6), 20, tiled_cached_ops);
  EXPECT_TRUE(scene.right(Batch::causal(0, 0, 9)));
  Batch batch = Batch::causal(0, 8, 3);
  batch.is_stored.assign(3, false);
  Rows rows = random_rows(scene.config, batch, 77);
  rows.k.resize(0, scene.config.kv_dim());
  rows.v.resize(0, scene.config.kv_dim());
  EXPECT_TRUE(near(oracle_attention(scene.config, scene.memory, batch, rows), scene.attend(batch, rows), 2e-6));
}

// Guards a step of the decode loop: the second pass over the same positions finds all memory in place.
TEST(TiledCachedOps, AllocateNothingForAToken) {
  // Oracle: counting.
  if (!counts_allocations) GTEST_SKIP() << "counting allocations needs glibc without a sanitizer";
  const Config config = attention_shape(9, 3, 16);
  Scene scene(config, 700, tiled_cached_ops);
  const Batch prompt = Batch::causal(0, 0, 600);
  scene.attend(prompt, random_rows(config, prompt, 1));
  Batch next = Batch::causal(0, 600, 1);
  const Rows rows = random_rows(config, next, 3);
  Matrix out(1, config.q_dim());
  const auto step = [&](int position) {
    next.position[0] = next.last_visible[0] = position;
    scene.ops.begin_step(next);
    scene.ops.attention(config, 0, rows.q, rows.k, rows.v, next, out);
    scene.ops.end_step();
  };
  for (int position = 600; position < 650; ++position) step(position);
  scene.cache.slots.truncate(0, 601);
  const std::int64_t before = allocation_count();
  for (int position = 601; position < 650; ++position) step(position);
  EXPECT_EQ(allocation_count() - before, 0);
}

// Guards the split of the work.
TEST(TiledCachedOps, GiveTheSameBitsOnAnyNumberOfThreads) {
  // Oracle: invariance.
  const Config config = attention_shape(9, 3, 16);
  std::vector<Matrix> results;
  for (int n_threads : {1, 2, 3}) {
    set_threads(n_threads);
    Scene scene(config, 300, tiled_cached_ops);
    const Batch prompt = Batch::causal(0, 0, 270), next = Batch::causal(0, 270, 1);
    scene.attend(prompt, random_rows(config, prompt, 1));
    results.push_back(scene.attend(next, random_rows(config, next, 2)));
  }
  set_threads(0);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

// Guards the chain of operators: what the base does at a step is done as well.
TEST(TiledCachedOps, BeginAndEndTheStepsOfTheirBaseToo) {
  // Oracle: counting.
  const Config config = attention_shape(2, 1, 4);
  int n_begun = 0, n_ended = 0;
  Ops base = naive_ops();
  base.begin_step = [&](const Batch&) { ++n_begun; };
  base.end_step = [&] { ++n_ended; };
  KvCache cache(config, 4);
  for (const Ops& ops : {cached_ops(cache, base), tiled_cached_ops(cache, base)}) {
    ops.begin_step(Batch::causal(0, 0, 1));
    ops.end_step();
  }
  EXPECT_EQ(n_begun, 2);
  EXPECT_EQ(n_ended, 2);
  EXPECT_EQ(cache.slots.n_stored(0), 2);
}

}  // namespace
}  // namespace waitless
