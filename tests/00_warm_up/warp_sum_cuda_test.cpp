#include <algorithm>
#include <numeric>

#include "common/testing/cuda_test.h"
#include "common/testing/thread_orders.h"
#include "warp_sum.h"

namespace waitless {
namespace {

constexpr int kWarp = 32;

class WarpSumCuda : public CudaTest {};

std::vector<float> warp_sums_of(const std::vector<float>& x, int n) {
  const DeviceBuffer<float> device_x(x);
  DeviceBuffer<float> sums(std::vector<float>(n, 99.0f));
  warp_sums(device_x.data(), sums.data(), n);
  return sums.to_host();
}

// Grades exercise C0.4.
TEST_F(WarpSumCuda, GivesEveryLaneTheSumOfItsWarp) {
  // Oracle: by hand. Lane l holds l + 1, so the sum is 32 * 33 / 2 = 528.
  std::vector<float> x(kWarp);
  std::iota(x.begin(), x.end(), 1.0f);
  const std::vector<float> sums = warp_sums_of(x, kWarp);
  for (int lane = 0; lane < kWarp; ++lane) {
    ASSERT_EQ(sums[lane], 528.0f) << "lane " << lane
                                  << (lane > 0 ? "; lane 0 has the whole sum: does each step reach every lane?" : "");
  }
}

// Grades exercise C0.4.
TEST_F(WarpSumCuda, CountsEachLaneOnce) {
  // Oracle: by hand. One lane holds 1, the others 0: every lane must see exactly 1, whichever it was.
  for (int one = 0; one < kWarp; ++one) {
    std::vector<float> x(kWarp, 0.0f);
    x[one] = 1.0f;
    ASSERT_EQ(warp_sums_of(x, kWarp), std::vector<float>(kWarp, 1.0f))
        << "lane " << one << " is missed or counted twice";
  }
}

// Grades exercise C0.4.
TEST_F(WarpSumCuda, KeepsWarpsApartForAnySize) {
  // Oracle: exact sums on the host.
  in_all_thread_orders([] {
    for (const int n : {1, 31, 32, 33, 127, 129, 1000}) {
      std::vector<float> x(n);
      for (int i = 0; i < n; ++i) x[i] = float((i * 37) % 1009 - 300);
      std::vector<float> expected(n);
      for (int first = 0; first < n; first += kWarp) {
        const int end = std::min(first + kWarp, n);
        std::fill(expected.begin() + first, expected.begin() + end,
                  std::accumulate(x.begin() + first, x.begin() + end, 0.0f));
      }
      ASSERT_EQ(warp_sums_of(x, n), expected) << "n = " << n;
    }
  });
}

}  // namespace
}  // namespace waitless
