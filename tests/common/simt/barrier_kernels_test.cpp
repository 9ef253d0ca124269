#include "tests/common/simt/barrier_kernels.h"

#include "common/simt/counters.h"
#include "tests/common/simt/kernel_test.h"

namespace waitless::simt_test {

class Barriers : public KernelTest {};
INSTANTIATE_KERNEL_TEST(Barriers);

// Guards __syncthreads: what threads wrote before it, all threads read after it.
TEST_P(Barriers, SharedMemoryIsCompleteAfterABarrier) {
  for (const int n : {1, 2, 31, 32, 33, 255, 256, 1000, 1024}) {
    const std::vector<int> mirrored = mirror(n);
    for (int t = 0; t < n; ++t) EXPECT_EQ(mirrored[t], n - 1 - t);
  }
}

// Guards barriers in loops.
TEST_P(Barriers, AThreadMeetsEachBarrierOfALoopOnce) {
  // By hand: after 100 r + 1 steps each value has moved one place: position t holds t - 1.
  for (const int rounds : {1, 5}) {
    const std::vector<int> values = ring(rounds);
    for (int t = 0; t < 100; ++t) EXPECT_EQ(values[t], (t + 99) % 100);
  }
}

// Guards __syncthreads_count, _and, _or.
TEST_P(Barriers, VotesCountTheThreadsThatTakePart) {
  // By hand: of 0 .. 69, 24 are multiples of 3; all are below 70; one is 69; ten are at least 60; thread 5 says no;
  // nobody says yes. Then 40 threads are left: count 40, all below 40, none at least 40.
  const std::vector<int> seen = votes();
  for (int t = 0; t < 70; ++t) {
    EXPECT_EQ(seen[9 * t], 24);
    EXPECT_NE(seen[9 * t + 1], 0);
    EXPECT_NE(seen[9 * t + 2], 0);
    EXPECT_EQ(seen[9 * t + 3], 10);
    EXPECT_EQ(seen[9 * t + 4], 0);
    EXPECT_EQ(seen[9 * t + 5], 0);
    EXPECT_EQ(seen[9 * t + 6], t < 40 ? 40 : 0);
    EXPECT_EQ(seen[9 * t + 7] != 0, t < 40);
    EXPECT_EQ(seen[9 * t + 8], 0);
  }
}

// Guards threads that return before a barrier, which GPUs since Volta do not wait for.
TEST_P(Barriers, ExitedThreadsAreNotWaitedFor) {
  // By hand: three steps along a ring of 16.
  const std::vector<int> values = exited_threads_are_not_waited_for();
  for (int t = 0; t < 16; ++t) EXPECT_EQ(values[t], (t + 3) % 16);
}

// Guards the hardware's view of a barrier: threads are counted, wherever in the code they arrive. CUDA forbids it all
// the same, so the checked build refuses.
TEST_P(Barriers, ThreadsMayArriveOnDifferentLines) {
#if defined(WAITLESS_SIMT)
  if (simt::why_no_counters().empty()) {
    EXPECT_THROW(barrier_in_both_branches(), CudaError);
    return;
  }
#endif
  const std::vector<int> values = barrier_in_both_branches();
  for (int t = 0; t < 64; ++t) EXPECT_EQ(values[t], 63 - t);
}

// Guards __threadfence and its variants: a number written before a fence is there for who sees the flag after it.
TEST_P(Barriers, FencesOrderWrites) { EXPECT_EQ(fences(), std::vector<int>(256, 1)); }

}  // namespace waitless::simt_test
