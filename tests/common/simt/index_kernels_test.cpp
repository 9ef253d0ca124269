#include "tests/common/simt/index_kernels.h"

#include "tests/common/simt/kernel_test.h"

namespace waitless::simt_test {

class Indices : public KernelTest {};
INSTANTIATE_KERNEL_TEST(Indices);

// Guards threadIdx, blockIdx, blockDim and gridDim in three dimensions.
TEST_P(Indices, EachThreadOfEachBlockRunsOnceWithItsOwnIndex) {
  // By hand: 3 * 2 * 2 = 12 thread blocks of 4 * 2 * 2 = 16 threads; x runs fastest.
  const std::vector<int> order = global_order();
  for (int block = 0; block < 12; ++block) {
    for (int thread = 0; thread < 16; ++thread) EXPECT_EQ(order[16 * block + thread], 1000000 * block + thread);
  }
}

// Guards blockDim and gridDim: dimensions that a launch does not name are 1.
TEST_P(Indices, ShapesAreThoseOfTheLaunch) {
  const std::vector<int> seen = shapes();
  for (int block = 0; block < 6; ++block) {
    const std::vector<int> mine(seen.begin() + 7 * block, seen.begin() + 7 * block + 7);
    EXPECT_EQ(mine, (std::vector<int>{5, 6, 1, 2, 1, 3, 32}));
  }
}

// Guards loops over more elements than threads, at sizes below, at and above the 128 threads.
TEST_P(Indices, AGridStrideLoopVisitsEachElementOnce) {
  for (const int n : {1, 31, 33, 128, 1000}) {
    const std::vector<int> doubled = grid_stride_double(n);
    for (int i = 0; i < n; ++i) EXPECT_EQ(doubled[i], 2 * i);
  }
}

// Guards kernel parameters: each thread owns its copy.
TEST_P(Indices, ParametersArePrivateToAThread) {
  // By hand: every thread sees 7 and then, after its own increment alone, 8: 7 + 100 * 8.
  EXPECT_EQ(parameters_are_copies(), std::vector<int>(64, 807));
}

// Guards thread blocks of one thread.
TEST_P(Indices, AThreadBlockMayHaveOneThread) { EXPECT_EQ(one_thread_per_block(100), std::vector<int>(100, 1)); }

}  // namespace waitless::simt_test
