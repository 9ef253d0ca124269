#include "common/tensor/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace waitless {
namespace {

// Guards the loops of every chapter.
TEST(ParallelFor, CallsEachIterationOnce) {
  // Oracle: counting.
  for (const std::size_t n : {0, 1, 2, 3, 7, 8, 9, 31, 1000}) {
    std::vector<std::atomic<int>> n_calls(n);
    for (int round = 0; round < 50; ++round) parallel_for(Index(n), [&](Index i) { ++n_calls[std::size_t(i)]; });
    for (const auto& calls : n_calls) EXPECT_EQ(calls, 50) << "of " << n;
  }
}

TEST(ParallelFor, GivesEachThreadANumberOfItsOwn) {
  // Oracle: invariance. Two threads with one number would write the same element.
  std::vector<std::atomic<int>> n_inside(static_cast<std::size_t>(max_threads()));
  std::atomic<bool> has_met{false};
  parallel_for(1000, [&](Index) {
    const int t = thread_index();
    ASSERT_TRUE(t >= 0 && t < max_threads()) << t;
    if (++n_inside[std::size_t(t)] != 1) has_met = true;
    --n_inside[std::size_t(t)];
  });
  EXPECT_FALSE(has_met);
  EXPECT_EQ(thread_index(), 0);
}

TEST(ParallelFor, GivesAllThreadsSomethingToDo) {
  // Oracle: counting. Iterations that sleep leave the others time to come.
  std::vector<std::atomic<int>> n_calls(static_cast<std::size_t>(max_threads()));
  parallel_for(8 * max_threads(), [&](Index) {
    ++n_calls[std::size_t(thread_index())];
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  for (const auto& calls : n_calls) EXPECT_GT(calls, 0);
}

TEST(ParallelFor, ThrowsWhatABodyThrows) {
  // Oracle: by hand. Nothing runs any more when it arrives.
  std::atomic<int> n_done{0};
  const auto run = [&] {
    parallel_for(100, [&](Index i) {
      if (i == 37) throw std::length_error("37");
      ++n_done;
    });
  };
  EXPECT_THROW(run(), std::length_error);
  EXPECT_LE(n_done, 99);
  EXPECT_NO_THROW(parallel_for(100, [](Index) {}));
}

TEST(ParallelFor, InsideOfAnotherIsALoop) {
  // Oracle: counting.
  std::atomic<int> n_calls{0};
  parallel_for(10, [&](Index) {
    const int outer = thread_index();
    parallel_for(10, [&](Index) { n_calls += thread_index() == outer; });
  });
  EXPECT_EQ(n_calls, 100);
}

TEST(ParallelFor, ServesSeveralThreadsAtATime) {
  // Oracle: counting.
  std::atomic<int> n_calls{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) parallel_for(16, [&](Index) { ++n_calls; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(n_calls, 4 * 200 * 16);
}

TEST(ParallelFor, WakesThreadsThatSleep) {
  // Oracle: counting. After the pause the helpers are asleep.
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<int> n_calls{0};
    parallel_for(64, [&](Index) { ++n_calls; });
    EXPECT_EQ(n_calls, 64);
  }
}

TEST(OpenMpSettings, ReachEveryProgram) {
  // Oracle: by hand. With neither variable set, idle threads look for work for milliseconds before they sleep.
#if defined(__GLIBC__) && defined(_OPENMP)
  EXPECT_TRUE(std::getenv("GOMP_SPINCOUNT") || std::getenv("OMP_WAIT_POLICY"));
#endif
}

}  // namespace
}  // namespace waitless
