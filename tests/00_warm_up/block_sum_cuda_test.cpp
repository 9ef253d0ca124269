#include <numeric>

#include "block_sum.h"
#include "common/testing/cuda_test.h"
#include "thread_orders.h"

namespace waitless {
namespace {

class BlockSumCuda : public CudaTest {};

/// Whole numbers whose sums are exact in any order, all different so that a missed one shows.
std::vector<float> whole_numbers(int n) {
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) x[i] = float((i * 37) % 1009 - 300);
  return x;
}

std::vector<float> block_sums_of(const std::vector<float>& x, int n) {
  const DeviceBuffer<float> device_x(x);
  DeviceBuffer<float> sums(std::vector<float>((n + kSumBlock - 1) / kSumBlock, 99.0f));
  block_sums(device_x.data(), sums.data(), n);
  return sums.to_host();
}

// Grades exercise C0.3.
TEST_F(BlockSumCuda, OfOneBlockIsTheSumOfItsNumbers) {
  // Oracle: by hand. 1 + 2 + ... + 256 = 32896.
  std::vector<float> x(kSumBlock);
  std::iota(x.begin(), x.end(), 1.0f);
  EXPECT_EQ(block_sums_of(x, kSumBlock), std::vector<float>{32896.0f});
}

// Grades exercise C0.3.
TEST_F(BlockSumCuda, WaitsForTheOtherThreadsInEveryOrder) {
  // Oracle: exact sums on the host. A missing barrier reads numbers that are not there yet.
  const std::vector<float> x = whole_numbers(20 * kSumBlock);
  std::vector<float> expected;
  for (int first = 0; first < int(x.size()); first += kSumBlock) {
    expected.push_back(std::accumulate(x.begin() + first, x.begin() + first + kSumBlock, 0.0f));
  }
  in_all_thread_orders([&] {
    EXPECT_EQ(block_sums_of(x, int(x.size()))[0], expected[0])
        << "(does every thread reach a barrier after each step, and before the first?)";
    EXPECT_EQ(block_sums_of(x, int(x.size())), expected) << "(does each thread block sum its own elements?)";
  });
}

// Grades exercise C0.3.
TEST_F(BlockSumCuda, OfAPartialBlockTakesNothingFromPastTheEnd) {
  // Oracle: exact sums on the host. The elements behind the n are a million each.
  for (const int n : {1, 31, 33, 255, 257, 1000}) {
    std::vector<float> x = whole_numbers(n);
    std::vector<float> expected;
    for (int first = 0; first < n; first += kSumBlock) {
      expected.push_back(std::accumulate(x.begin() + first, x.begin() + std::min(first + kSumBlock, n), 0.0f));
    }
    x.resize(n + 2 * kSumBlock, 1e6f);
    EXPECT_EQ(block_sums_of(x, n), expected) << "n = " << n;
  }
}

// Guards the launcher, which is given.
TEST_F(BlockSumCuda, OfNothingWritesNothing) {
  // Oracle: the header.
  EXPECT_TRUE(block_sums_of(std::vector<float>(1), 0).empty());
}

}  // namespace
}  // namespace waitless
