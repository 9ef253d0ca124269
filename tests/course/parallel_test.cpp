#include "common/course/system/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace waitless::course {
namespace {

// Guards what runs mutants, scripts and test programs side by side.
TEST(InParallel, DoesEachPieceOfWorkOnce) {
  std::vector<std::atomic<int>> done(100);
  in_parallel(done.size(), 3, [&](std::size_t i) { ++done[i]; });
  for (const std::atomic<int>& n : done) EXPECT_EQ(n, 1);
}

TEST(InParallel, KeepsToTheNumberOfJobs) {
  std::mutex mutex;
  int running = 0, most = 0;
  in_parallel(8, 2, [&](std::size_t) {
    {
      const std::lock_guard lock(mutex);
      most = std::max(most, ++running);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::lock_guard lock(mutex);
    --running;
  });
  EXPECT_EQ(most, 2);
}

TEST(InParallel, StopsAtTheFirstExceptionAndThrowsItAgain) {
  int n_begun = 0;
  const auto work = [&](std::size_t i) {
    ++n_begun;
    if (i == 2) throw std::runtime_error("the third");
  };
  EXPECT_THROW(in_parallel(10, 1, work), std::runtime_error);
  EXPECT_EQ(n_begun, 3);
}

}  // namespace
}  // namespace waitless::course
