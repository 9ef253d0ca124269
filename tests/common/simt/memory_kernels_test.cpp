#include "tests/common/simt/memory_kernels.h"

#include "tests/common/simt/kernel_test.h"

namespace waitless::simt_test {

class Memory : public KernelTest {};
INSTANTIATE_KERNEL_TEST(Memory);

// Guards __shared__ arrays of several dimensions.
TEST_P(Memory, StaticSharedArraysKeepTheirShape) {
  // By hand: element i of the transposed [8, 4] tile is row i % 4, column i / 4 of 10 * row + column.
  const std::vector<int> values = static_shared_transpose();
  for (int i = 0; i < 32; ++i) EXPECT_EQ(values[i], 10 * (i % 4) + i / 4);
}

// Guards dynamic shared memory cut into arrays of different types.
TEST_P(Memory, DynamicSharedMemoryHasTheSizeOfTheLaunch) {
  for (const int n : {1, 33, 256}) {
    const std::vector<double> values = dynamic_shared_as_two_arrays(n);
    for (int t = 0; t < n; ++t) EXPECT_EQ(values[t], 0.5 * (n - 1 - t) + 100 * ((t + 1) % n));
  }
}

// Guards more than 48 KiB of shared memory.
TEST_P(Memory, AKernelMayAskForMoreSharedMemory) {
  const std::vector<int> values = large_dynamic_shared();
  for (int t = 0; t < 128; ++t) EXPECT_EQ(values[t], 14999 - t);
}

// Guards shared memory in templates: reversed<16> and reversed<64> have an array each.
TEST_P(Memory, TemplateInstancesHaveTheirOwnSharedArrays) {
  // By hand: thread t reads 15 - t % 16 from the first (all writers of a cell agree), 63 - t from the second.
  const std::vector<int> values = templated_shared();
  for (int t = 0; t < 64; ++t) {
    EXPECT_EQ(values[2 * t], 15 - t % 16);
    EXPECT_EQ(values[2 * t + 1], 63 - t);
  }
}

// Guards shared memory in device functions, reused by a second call.
TEST_P(Memory, DeviceFunctionsMayUseSharedMemory) {
  // By hand: 0 + .. + 99 = 4950, and 100 threads.
  EXPECT_EQ(shared_in_device_function(), std::vector<int>(100, 4950100));
}

// Guards shared memory of thread blocks that run at the same time.
TEST_P(Memory, ThreadBlocksDoNotSeeEachOthersSharedMemory) {
  const std::vector<int> sums = shared_belongs_to_a_block();
  for (int block = 0; block < 32; ++block) EXPECT_EQ(sums[block], 50 * block);
}

// Guards __constant__ and cudaMemcpyToSymbol with an offset.
TEST_P(Memory, ConstantMemoryIsSetByTheHost) {
  // By hand: 1 + 2 x + 3 x^2; then the last two coefficients become 0 and 10: 1 + 10 x^2.
  const std::vector<float> values = constant_polynomial();
  for (int x = 0; x < 10; ++x) {
    EXPECT_EQ(values[x], 1 + 2 * x + 3 * x * x);
    EXPECT_EQ(values[10 + x], 1 + 10 * x * x);
  }
}

// Guards __device__ variables with an initial value.
TEST_P(Memory, DeviceVariablesLastFromLaunchToLaunch) {
  // By hand: from 5, 50 increments give 55; each old value was at least 5.
  EXPECT_EQ(device_variable(), (std::vector<int>{55, 50}));
}

// Guards vector loads and __ldg.
TEST_P(Memory, VectorLoadsMoveWholeVectors) {
  const std::vector<float> values = vector_loads();
  for (int i = 0; i < 64; ++i) EXPECT_EQ(values[i], 2.0f * i);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(values[64 + i], i);
}

// Guards the vector types and their make_ functions.
TEST_P(Memory, VectorTypesHoldTheirComponents) {
  // By hand, in the order of the kernel.
  const std::vector<double> expected = {
      -2, 300, -999, 60006, -1, 4000000006.0, 0.75, 6, 0.1 + 0.2, 1099511627777.0, -1099511627773.0, 7};
  EXPECT_EQ(vector_types(), expected);
}

// Guards local arrays of a thread that waits: each thread has its own.
TEST_P(Memory, LocalArraysSurviveABarrier) {
  const std::vector<int> values = local_arrays();
  for (int t = 0; t < 32; ++t) EXPECT_EQ(values[t], (t + 3) % 32 * t);
}

// Guards the sizes and alignments that decide which loads are possible.
TEST_P(Memory, VectorTypesAreLaidOutAsInCuda) {
  EXPECT_EQ(vector_layout(), (std::vector<int>{8, 8, 12, 4, 16, 16, 16, 16, 4, 4, 12, 4}));
}

}  // namespace waitless::simt_test
