#include "kv_cache.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/testing/allocation_counter.h"
#include "common/testing/random_model.h"
#include "common/testing/refuses.h"
#include "kv_bytes.h"

namespace waitless {
namespace {

// small_config() has 2 layers and two key/value heads of 6.
Matrix keys_of(const Batch& batch, int layer) { return random_matrix(batch.n_rows(), 12, 100 + layer); }
Matrix values_of(const Batch& batch, int layer) { return random_matrix(batch.n_rows(), 12, 200 + layer); }

// Grades exercise 2.4.
TEST(KvCache, StoresRowsInTheirSlotsForEachLayerAndHead) {
  // Oracle: by hand. Three rows at once, then one more; the last layer first.
  KvCache cache(small_config(), 5);
  const Batch first = Batch::causal(0, 0, 3), second = Batch::causal(0, 3, 1);
  for (const Batch& batch : {first, second}) {
    cache.slots.begin(batch);
    for (const int layer : {1, 0}) cache.append(layer, keys_of(batch, layer), values_of(batch, layer));
    cache.slots.commit();
  }
  for (int layer = 0; layer < 2; ++layer) {
    for (int head = 0; head < 2; ++head) {
      EXPECT_EQ(cache.keys(layer, head).topRows(3), keys_of(first, layer).middleCols(head * 6, 6));
      EXPECT_EQ(cache.values(layer, head).topRows(3), values_of(first, layer).middleCols(head * 6, 6));
      EXPECT_EQ(cache.keys(layer, head).row(3), keys_of(second, layer).middleCols(head * 6, 6));
      EXPECT_EQ(cache.values(layer, head).row(3), values_of(second, layer).middleCols(head * 6, 6));
    }
  }
}

// Grades exercise 2.4.
TEST(KvCache, LaysTheSlotsOfOneHeadSideBySide) {
  // Oracle: the header's layout: [layer][kv head][slot][head_dim].
  KvCache cache(small_config(), 5);
  EXPECT_EQ(cache.keys(0, 1).data() - cache.keys(0, 0).data(), 5 * 6);
  EXPECT_EQ(cache.keys(1, 0).data() - cache.keys(0, 0).data(), 2 * 5 * 6);
  EXPECT_EQ(cache.values(1, 1).data() - cache.values(0, 0).data(), 3 * 5 * 6);
  EXPECT_EQ(cache.keys(0, 0).rows(), 5);
  EXPECT_EQ(cache.keys(0, 0).cols(), 6);
}

// Grades exercise 2.4.
TEST(KvCache, FollowsTheSlotsNotTheRows) {
  // Oracle: by hand. Slots 0, 2 and 4 are free; the second row of the batch is not stored.
  KvCache cache(small_config(), 5);
  cache.slots.begin(Batch::causal(0, 0, 5));
  cache.slots.commit();
  for (const int position : {0, 2, 4}) cache.slots.evict(0, position, position);
  Batch batch = Batch::causal(1, 0, 4);
  batch.is_stored[1] = false;
  cache.slots.begin(batch);
  cache.append(1, keys_of(batch, 1), values_of(batch, 1));
  const int slot_of_row[] = {0, -1, 2, 4};
  for (const int row : {0, 2, 3}) {
    EXPECT_EQ(cache.keys(1, 1).row(slot_of_row[row]), keys_of(batch, 1).row(row).segment(6, 6)) << "row " << row;
    EXPECT_EQ(cache.values(1, 0).row(slot_of_row[row]), values_of(batch, 1).row(row).segment(0, 6)) << "row " << row;
  }
  for (const int slot : {1, 3}) EXPECT_TRUE(cache.keys(1, 1).row(slot).isZero()) << "slot " << slot << " was written";
  EXPECT_TRUE(cache.keys(0, 0).isZero()) << "another layer was written";
}

// Grades exercise 2.4.
TEST(KvCache, StoresOnlyTheLayersItIsMadeFor) {
  // Oracle: by hand. Layers 3 and 1 of four (a hybrid's other layers do not attend, a pipeline stage has only some).
  Config config = small_config();
  config.n_layers = 4;
  KvCache cache(config, 5, {3, 1});
  EXPECT_EQ(cache.bytes(), 2 * 2 * 2 * 5 * 6 * std::int64_t(sizeof(float)));
  const Batch batch = Batch::causal(0, 0, 2);
  cache.slots.begin(batch);
  for (const int layer : {1, 3}) cache.append(layer, keys_of(batch, layer), values_of(batch, layer));
  for (const int layer : {1, 3}) {
    EXPECT_EQ(cache.keys(layer, 1).topRows(2), keys_of(batch, layer).middleCols(6, 6)) << "layer " << layer;
  }
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { cache.keys(2, 0); }, {"2"}));
  EXPECT_TRUE(
      refuses_with<std::invalid_argument>([&] { cache.append(0, keys_of(batch, 0), keys_of(batch, 0)); }, {"0"}));
}

// Grades exercise 2.4.
TEST(KvCache, RefusesWrongShapesNamingThem) {
  // Oracle: the header. The cache has 2 layers and 2 heads of 6.
  KvCache cache(small_config(), 6);
  const Matrix good(2, 12), three_heads(2, 18), one_row(1, 12);
  cache.slots.begin(Batch::causal(0, 0, 2));
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { cache.append(0, three_heads, good); }, {"[2, 18]", "[2, 12]"}));
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { cache.append(0, good, three_heads); }, {"[2, 18]", "[2, 12]"}));
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { cache.append(0, one_row, good); }, {"[1, 12]", "[2, 12]"}));
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { cache.keys(2, 0); }, {"2"}));
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { cache.keys(-1, 0); }, {"-1"}));
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { cache.values(0, 7); }, {"7"}));
}

// Grades exercise 2.4.
TEST(KvCache, RefusesRowsOutsideOfAStep) {
  // Oracle: the header. Before the first step, and after a commit: the slots of that step belong to its tokens now.
  KvCache cache(small_config(), 6);
  const Batch batch = Batch::causal(0, 0, 1);
  const Matrix k = keys_of(batch, 0);
  EXPECT_THROW(cache.append(0, Matrix(0, 12), Matrix(0, 12)), std::invalid_argument);
  cache.slots.begin(batch);
  cache.append(0, k, k);
  cache.slots.commit();
  EXPECT_THROW(cache.append(0, k, k), std::invalid_argument);
}

// Grades exercise 2.4.
TEST(KvCache, AllocatesNothingWhileItIsUsed) {
  // Oracle: counting.
  if (!counts_allocations) GTEST_SKIP() << "counting allocations needs glibc without a sanitizer";
  KvCache cache(small_config(), 6);
  const Batch batch = Batch::causal(0, 0, 3);
  const Matrix k = keys_of(batch, 0);
  cache.slots.begin(batch);
  const std::int64_t before = allocation_count();
  for (int layer = 0; layer < 2; ++layer) cache.append(layer, k, k);
  EXPECT_EQ(allocation_count() - before, 0);
}

// Guards the memory formula: what is asked of the allocator is the formula, and a few bytes a slot for its bookkeeping.
TEST(KvCache, AllocatesWhatTheFormulaSays) {
  // Oracle: counting.
  if (!counts_allocations) GTEST_SKIP() << "counting allocations needs glibc without a sanitizer";
  Config config = small_config();
  config.n_layers = 5;
  config.head_dim = 64;
  const int n_slots = 300;
  const std::int64_t before = allocated_bytes();
  const KvCache cache(config, n_slots);
  const std::int64_t got = allocated_bytes() - before;
  const std::int64_t formula = n_slots * kv_bytes_per_token(kv_shape(config), 32);
  EXPECT_EQ(cache.bytes(), formula);
  EXPECT_GE(got, formula);
  EXPECT_LE(got, formula + 32 * n_slots + 512);
}

}  // namespace
}  // namespace waitless
