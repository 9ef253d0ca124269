#include <limits>
#include <numeric>

#include "block_sum.h"
#include "common/testing/cuda_test.h"
#include "common/testing/guarded.h"
#include "common/testing/mistakes.h"
#include "common/testing/thread_orders.h"

namespace waitless {
namespace {

class BlockSumCuda : public CudaTest {};

/// Whole numbers whose sums are exact in any order, all different so that a missed one shows.
std::vector<float> whole_numbers(int n) {
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) x[i] = float((i * 37) % 1009 - 300);
  return x;
}

std::vector<float> sums_on_the_host(const std::vector<float>& x) {
  std::vector<float> sums((x.size() + kSumBlock - 1) / kSumBlock, 0.0f);
  for (std::size_t i = 0; i < x.size(); ++i) sums[i / kSumBlock] += x[i];
  return sums;
}

std::vector<float> block_sums_of(const std::vector<float>& x, int n) {
  const DeviceBuffer<float> device_x(x);
  DeviceBuffer<float> sums(std::vector<float>((n + kSumBlock - 1) / kSumBlock, Guarded::kUnwritten));
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
  constexpr int kBlocks = 20;
  const std::vector<float> x = whole_numbers(kBlocks * kSumBlock);
  const std::vector<float> expected = sums_on_the_host(x);
  const auto sums_where = [&](auto is_summed) {
    std::vector<float> some = x;
    for (int i = 0; i < int(x.size()); ++i) some[i] *= is_summed(i % kSumBlock);
    return as_row(sums_on_the_host(some));
  };
  const std::vector<Mistake> mistakes = {
      {"each thread block sums the first elements instead of its own",
       as_row(std::vector<float>(kBlocks, expected[0]))},
      {"the last step, thread 0 adding what thread 1 holds, is missing", sums_where([](int t) { return t % 2 == 0; })},
      {"the first step begins at half = kSumBlock / 4", sums_where([](int t) { return t < kSumBlock / 2; })},
      {"nothing is folded", sums_where([](int t) { return t == 0; })}};
  in_all_thread_orders(
      [&] { EXPECT_TRUE(matches(as_row(expected), as_row(block_sums_of(x, int(x.size()))), 0, mistakes)); });
}

// Grades exercise C0.3.
TEST_F(BlockSumCuda, OfAPartialBlockTakesNothingFromPastTheEnd) {
  // Oracle: exact sums on the host. The elements behind the n are infinite: times 0 they would make NaN.
  for (const int n : {1, 31, 33, 255, 257, 300, 1000}) {
    std::vector<float> x = whole_numbers(n);
    const std::vector<float> expected = sums_on_the_host(x);
    x.resize(n + 2 * kSumBlock, std::numeric_limits<float>::infinity());
    EXPECT_EQ(block_sums_of(x, n), expected) << "n = " << n << "; what lies behind is infinite";
  }
}

// Guards the launcher, which is given.
TEST_F(BlockSumCuda, OfNothingWritesNothing) {
  // Oracle: the header.
  EXPECT_TRUE(block_sums_of(std::vector<float>(1), 0).empty());
}

}  // namespace
}  // namespace waitless
