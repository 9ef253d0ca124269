#include "common/simt/thread_order.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace waitless::simt {
namespace {

std::vector<unsigned> linear_indices(const Turns& turns) {
  std::vector<unsigned> indices;
  for (const ThreadIndex& thread : turns.threads) indices.push_back(thread.linear);
  return indices;
}

// Guards forward and reverse order.
TEST(ThreadOrders, ForwardAndReverseAreWhatTheySay) {
  Turns turns;
  turns.set({3, 2, 1}, {1, ThreadOrder::kForward, 0});
  EXPECT_EQ(linear_indices(turns), (std::vector<unsigned>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(turns.threads[4].index.x, 1u);
  EXPECT_EQ(turns.threads[4].index.y, 1u);
  turns.set({3, 2, 1}, {1, ThreadOrder::kReverse, 0});
  EXPECT_EQ(linear_indices(turns), (std::vector<unsigned>{5, 4, 3, 2, 1, 0}));
}

// Guards the random order: a permutation, the same for the same seed and block.
TEST(ThreadOrders, RandomIsARepeatablePermutation) {
  const auto order = [](std::uint64_t seed, std::uint64_t block) {
    Turns turns;
    turns.set({100, 1, 1}, {1, ThreadOrder::kRandom, seed});
    turns.shuffle(seed, block);
    return linear_indices(turns);
  };
  const std::vector<unsigned> first = order(1, 0);
  EXPECT_EQ(std::set<unsigned>(first.begin(), first.end()).size(), 100u);
  EXPECT_EQ(order(1, 0), first);
  EXPECT_NE(order(1, 1), first);
  EXPECT_NE(order(2, 0), first);
}

// Guards the grouping by warp, in which released lanes get their turn.
TEST(ThreadOrders, AWarpsThreadsKeepTheirRelativeOrder) {
  Turns turns;
  turns.set({40, 1, 1}, {1, ThreadOrder::kReverse, 0});
  EXPECT_EQ(turns.warp_threads[0], 31);
  EXPECT_EQ(turns.warp_threads[31], 0);
  EXPECT_EQ(turns.warp_threads[32], 39);
  EXPECT_EQ(turns.warp_threads[39], 32);
}

// Guards the order of thread blocks.
TEST(ThreadOrders, EachBlockGetsOneTurn) {
  for (const ThreadOrder order : {ThreadOrder::kForward, ThreadOrder::kReverse, ThreadOrder::kRandom}) {
    for (const std::uint64_t n : {1, 2, 30, 97, 1000}) {
      std::set<std::uint64_t> seen;
      for (std::uint64_t turn = 0; turn < n; ++turn) seen.insert(block_at_turn(turn, n, {1, order, 5}));
      EXPECT_EQ(seen.size(), n);
      EXPECT_LT(*seen.rbegin(), n);
    }
  }
}

// Guards the range of settings.
TEST(Settings, RejectNoWorkers) {
  EXPECT_THROW(set_settings({0, ThreadOrder::kForward, 0}), std::invalid_argument);
  EXPECT_THROW(set_settings({1000, ThreadOrder::kForward, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace waitless::simt
