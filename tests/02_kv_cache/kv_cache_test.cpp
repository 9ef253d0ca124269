#include "kv_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/testing/allocation_counter.h"
#include "common/testing/random_model.h"
#include "common/testing/refuses.h"
#include "kv_bytes.h"

namespace waitless {
namespace {

Matrix keys_of(const Batch& batch, int layer) { return random_matrix(batch.n_rows(), 12, 100 + layer); }
Matrix values_of(const Batch& batch, int layer) { return random_matrix(batch.n_rows(), 12, 200 + layer); }

/// Stores a batch in both layers of small_config(), which has two key/value heads of 6 numbers.
void store(KvCache& cache, const Batch& batch) {
  for (int layer = 0; layer < 2; ++layer) cache.append(layer, keys_of(batch, layer), values_of(batch, layer), batch);
}

/// The slots in use, "slot:sequence/position".
std::string contents(const KvCache& cache) {
  std::string out;
  for (int slot = 0; slot < cache.capacity(); ++slot) {
    if (cache.sequence(slot) == KvCache::kFree) continue;
    out += std::to_string(slot) + ":" + std::to_string(cache.sequence(slot)) + "/" +
           std::to_string(cache.position(slot)) + " ";
  }
  return out;
}

/// The numbers of all slots of all heads.
std::vector<Matrix> numbers(const KvCache& cache) {
  std::vector<Matrix> all;
  for (int layer = 0; layer < 2; ++layer) {
    for (int head = 0; head < 2; ++head) {
      all.push_back(cache.keys(layer, head));
      all.push_back(cache.values(layer, head));
    }
  }
  return all;
}

// Grades exercise 2.2.
TEST(KvCache, StoresRowsInTheirSlotsForEachLayerAndHead) {
  // Oracle: by hand. Three rows at once, then one more.
  KvCache cache(small_config(), 5);
  const Batch first = Batch::causal(0, 0, 3), second = Batch::causal(0, 3, 1);
  store(cache, first);
  store(cache, second);
  for (int layer = 0; layer < 2; ++layer) {
    for (int head = 0; head < 2; ++head) {
      EXPECT_EQ(cache.keys(layer, head).topRows(3), keys_of(first, layer).middleCols(head * 6, 6));
      EXPECT_EQ(cache.values(layer, head).topRows(3), values_of(first, layer).middleCols(head * 6, 6));
      EXPECT_EQ(cache.keys(layer, head).row(3), keys_of(second, layer).middleCols(head * 6, 6));
      EXPECT_EQ(cache.values(layer, head).row(3), values_of(second, layer).middleCols(head * 6, 6));
    }
  }
  EXPECT_EQ(contents(cache), "0:0/0 1:0/1 2:0/2 3:0/3 ");
  EXPECT_EQ(cache.n_used(), 4);
  EXPECT_EQ(cache.end_slot(), 4);
}

// Grades exercise 2.2.
TEST(KvCache, LaysTheSlotsOfOneHeadSideBySide) {
  // Oracle: the header's layout: [layer][kv head][slot][head_dim].
  KvCache cache(small_config(), 5);
  EXPECT_EQ(cache.keys(0, 1).data() - cache.keys(0, 0).data(), 5 * 6);
  EXPECT_EQ(cache.keys(1, 0).data() - cache.keys(0, 0).data(), 2 * 5 * 6);
  EXPECT_EQ(cache.values(1, 1).data() - cache.values(0, 0).data(), 3 * 5 * 6);
  EXPECT_EQ(cache.keys(0, 0).rows(), 5);
  EXPECT_EQ(cache.keys(0, 0).cols(), 6);
}

// Grades exercise 2.2.
TEST(KvCache, TakesSlotsThatAreNotPositions) {
  // Oracle: by hand. Rows of two sequences, siblings of a tree at one position, and a row that is not stored.
  KvCache cache(small_config(), 8);
  Batch batch = Batch::causal(7, 4, 2);
  batch.append(Batch::tree(3, 1, {Batch::kRoot, Batch::kRoot, 1}));
  batch.slot = {6, 0, 5, 2, Batch::kNotStored};
  store(cache, batch);
  EXPECT_EQ(contents(cache), "0:7/5 2:3/1 5:3/1 6:7/4 ");
  EXPECT_EQ(cache.keys(1, 1).row(5), keys_of(batch, 1).row(2).segment(6, 6));
  EXPECT_EQ(cache.n_used(), 4);
  EXPECT_EQ(cache.end_slot(), 7);
  EXPECT_EQ(cache.n_stored(7), 2);
  EXPECT_EQ(cache.n_stored(3), 2);
  EXPECT_EQ(cache.n_stored(0), 0);
}

// Grades exercise 2.2.
TEST(KvCache, KnowsWhichRowsAreTheLatestBatchs) {
  // Oracle: by hand.
  KvCache cache(small_config(), 4);
  Batch batch = Batch::causal(0, 0, 2);
  batch.slot = {1, 0};
  store(cache, batch);
  EXPECT_EQ(cache.batch_row(0), 1);
  EXPECT_EQ(cache.batch_row(1), 0);
  store(cache, Batch::causal(0, 2, 1));
  EXPECT_EQ(cache.batch_row(0), -1);
  EXPECT_EQ(cache.batch_row(1), -1);
  EXPECT_EQ(cache.batch_row(2), 0);
}

// Grades exercise 2.2.
TEST(KvCache, LosesNothingWhenItIsFull) {
  // Oracle: invariance. The first row of the batch would fit, the second does not.
  KvCache cache(small_config(), 4);
  store(cache, Batch::causal(0, 0, 3));
  const std::vector<Matrix> before = numbers(cache);
  Batch batch = Batch::causal(0, 3, 2);
  EXPECT_TRUE(refuses_with<CacheFull>([&] { store(cache, batch); }, {"1", "4", "3"}));
  batch.slot = {3, 9};
  EXPECT_TRUE(refuses_with<CacheFull>([&] { store(cache, batch); }, {"1", "9", "4", "3"}));
  EXPECT_EQ(contents(cache), "0:0/0 1:0/1 2:0/2 ");
  EXPECT_TRUE(before == numbers(cache)) << "something was written before the cache was found to be full";
  store(cache, Batch::causal(0, 3, 1));
  EXPECT_EQ(cache.n_used(), 4) << "after the error the cache goes on as before";
}

// Grades exercise 2.2.
TEST(KvCache, TruncatesOneSequence) {
  // Oracle: by hand. Rollback of sequence 0 to two positions.
  KvCache cache(small_config(), 8);
  Batch batch = Batch::causal(0, 0, 4);
  batch.append(Batch::causal(1, 0, 3));
  batch.slot = {0, 1, 2, 3, 4, 5, 6};
  store(cache, batch);
  cache.truncate(0, 2);
  EXPECT_EQ(contents(cache), "0:0/0 1:0/1 4:1/0 5:1/1 6:1/2 ");
  EXPECT_EQ(cache.n_used(), 5);
  EXPECT_EQ(cache.n_stored(0), 2);
  cache.truncate(1, 2);
  EXPECT_EQ(contents(cache), "0:0/0 1:0/1 4:1/0 5:1/1 ") << "positions count, not slots";
  cache.truncate(1, 0);
  EXPECT_EQ(contents(cache), "0:0/0 1:0/1 ");
  EXPECT_EQ(cache.end_slot(), 2);
  cache.truncate(0, 100);
  EXPECT_EQ(cache.n_used(), 2) << "keeping more than there is changes nothing";
  store(cache, Batch::causal(0, 2, 2));
  EXPECT_EQ(contents(cache), "0:0/0 1:0/1 2:0/2 3:0/3 ");
}

// Grades exercise 2.2.
TEST(KvCache, ForgetsASlotAndReusesIt) {
  // Oracle: by hand.
  KvCache cache(small_config(), 3);
  store(cache, Batch::causal(0, 0, 3));
  cache.forget(1);
  cache.forget(1);
  EXPECT_EQ(contents(cache), "0:0/0 2:0/2 ");
  EXPECT_EQ(cache.end_slot(), 3);
  Batch batch = Batch::causal(0, 3, 1);
  batch.slot = {1};
  store(cache, batch);
  EXPECT_EQ(contents(cache), "0:0/0 1:0/3 2:0/2 ");
  cache.reset();
  EXPECT_EQ(contents(cache), "");
  EXPECT_EQ(cache.n_used(), 0);
  EXPECT_EQ(cache.end_slot(), 0);
}

// Grades exercise 2.2.
TEST(KvCache, DropsTheRowsOfAPassThatWasGivenUp) {
  // Oracle: by hand. A pass ends after its first layer; its rows have no keys in the second.
  KvCache cache(small_config(), 6);
  store(cache, Batch::causal(0, 0, 2));
  const Batch batch = Batch::causal(0, 2, 2);
  cache.append(0, keys_of(batch, 0), values_of(batch, 0), batch);
  cache.truncate(0, 100);
  EXPECT_EQ(contents(cache), "0:0/0 1:0/1 ");
  store(cache, batch);
  EXPECT_EQ(contents(cache), "0:0/0 1:0/1 2:0/2 3:0/3 ");
  const Batch third = Batch::causal(0, 4, 1);
  cache.append(0, keys_of(third, 0), values_of(third, 0), third);
  cache.forget(0);
  EXPECT_EQ(contents(cache), "1:0/1 2:0/2 3:0/3 ");
  cache.append(0, keys_of(third, 0), values_of(third, 0), third);
  cache.reset();
  EXPECT_EQ(contents(cache), "");
  store(cache, Batch::causal(0, 0, 2));
  EXPECT_EQ(contents(cache), "0:0/0 1:0/1 ") << "after reset() layer 0 is due";
}

// Grades exercise 2.2.
TEST(KvCache, RefusesLayersOutOfOrder) {
  // Oracle: the header.
  KvCache cache(small_config(), 6);
  const Batch batch = Batch::causal(0, 0, 2);
  const auto append = [&](int layer, const Batch& rows) {
    cache.append(layer, keys_of(rows, layer), values_of(rows, layer), rows);
  };
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { append(1, batch); }, {"1", "0"}));
  append(0, batch);
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { append(0, batch); }, {"0", "1"}));
  Batch others = batch;
  others.slot = {3, 4};
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { append(1, others); }, {"1"}));
  append(1, batch);
  EXPECT_EQ(contents(cache), "0:0/0 1:0/1 ") << "a refused call must not change the cache";
}

// Grades exercise 2.2.
TEST(KvCache, RefusesWrongShapesNamingThem) {
  // Oracle: the header. The cache has 2 heads of 6 numbers.
  KvCache cache(small_config(), 6);
  const Batch batch = Batch::causal(0, 0, 2);
  const Matrix good(2, 12), three_heads(2, 18), one_row(1, 12);
  EXPECT_TRUE(
      refuses_with<std::invalid_argument>([&] { cache.append(0, three_heads, good, batch); }, {"[2, 18]", "[2, 12]"}));
  EXPECT_TRUE(
      refuses_with<std::invalid_argument>([&] { cache.append(0, good, three_heads, batch); }, {"[2, 18]", "[2, 12]"}));
  EXPECT_TRUE(
      refuses_with<std::invalid_argument>([&] { cache.append(0, one_row, good, batch); }, {"[1, 12]", "[2, 12]"}));
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { cache.keys(2, 0); }, {"layer 2", "2 layers"}));
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { cache.values(0, 2); }, {"head 2", "2 heads"}));
  EXPECT_EQ(cache.n_used(), 0);
}

// Grades exercise 2.2.
TEST(KvCache, RefusesSlotsThatAreTaken) {
  // Oracle: the header.
  KvCache cache(small_config(), 60);
  Batch batch = Batch::causal(7, 20, 3);
  batch.slot = {40, 41, 42};
  store(cache, batch);
  batch = Batch::causal(4, 0, 3);
  batch.slot = {43, 42, 44};
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { store(cache, batch); }, {"1", "42", "22", "7"}));
  batch.slot = {55, 43, 55};
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { store(cache, batch); }, {"0", "2", "55"}));
  EXPECT_EQ(contents(cache), "40:7/20 41:7/21 42:7/22 ");
}

// Grades exercise 2.2.
TEST(KvCache, RefusesNegativeNumbersNamingThem) {
  // Oracle: the header.
  KvCache cache(small_config(), 6);
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { cache.truncate(5, -3); }, {"-3", "5"}));
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { cache.forget(-1); }, {"-1", "6"}));
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { cache.forget(9); }, {"9", "6"}));
}

// Grades exercise 2.2.
TEST(KvCache, AllocatesNothingWhileItIsUsed) {
  // Oracle: counting.
  if (!counts_allocations) GTEST_SKIP() << "counting allocations needs glibc without a sanitizer";
  KvCache cache(small_config(), 6);
  const Batch three = Batch::causal(0, 0, 3), one = Batch::causal(0, 3, 1);
  const Matrix k3 = keys_of(three, 0), k1 = keys_of(one, 0);
  const auto use = [&] {
    for (int layer = 0; layer < 2; ++layer) cache.append(layer, k3, k3, three);
    for (int layer = 0; layer < 2; ++layer) cache.append(layer, k1, k1, one);
    cache.truncate(0, 1);
    cache.reset();
  };
  use();
  const std::int64_t before = allocation_count();
  use();
  EXPECT_EQ(allocation_count() - before, 0);
}

// Guards the constructor, which is given.
TEST(KvCache, RefusesACapacityBelowOneNamingIt) {
  // Oracle: the header.
  EXPECT_TRUE(refuses_with<std::invalid_argument>([] { KvCache(small_config(), 0); }, {"at least 1", "not 0"}));
  EXPECT_TRUE(refuses_with<std::invalid_argument>([] { KvCache(small_config(), -5); }, {"at least 1", "not -5"}));
}

// Guards the memory formula: what is asked of the allocator is the formula, and a few bytes a slot for its bookkeeping.
TEST(KvCache, AllocatesWhatTheFormulaSays) {
  // Oracle: counting.
  if (!counts_allocations) GTEST_SKIP() << "counting allocations needs glibc without a sanitizer";
  Config config = small_config();
  config.n_layers = 5;
  config.head_dim = 64;
  const int capacity = 300;
  const std::int64_t before = allocated_bytes();
  const KvCache cache(config, capacity);
  const std::int64_t got = allocated_bytes() - before;
  const std::int64_t formula = capacity * kv_bytes_per_token(kv_shape(config), 32);
  EXPECT_EQ(cache.bytes(), formula);
  EXPECT_GE(got, formula);
  EXPECT_LE(got, formula + 32 * capacity + 256);
}

}  // namespace
}  // namespace waitless
