#include <algorithm>
#include <limits>

#include "common/testing/cuda_test.h"
#include "common/testing/random_model.h"
#include "common/testing/thread_orders.h"
#include "saxpy.h"

namespace waitless {
namespace {

class SaxpyCuda : public CudaTest {};

/// Numbers as random_matrix() draws them.
std::vector<float> random_numbers(int n, std::uint64_t seed) {
  const Matrix m = random_matrix(1, n, seed);
  return {m.data(), m.data() + n};
}

// Grades exercise C0.1.
TEST_F(SaxpyCuda, OfTwoNumbersIsTheHandComputedPair) {
  // Oracle: by hand. 3 * 1 + 10 and 3 * -2 + 20.
  const DeviceBuffer<float> x(std::vector<float>{1.0f, -2.0f});
  DeviceBuffer<float> y(std::vector<float>{10.0f, 20.0f});
  saxpy(3.0f, x.data(), y.data(), 2);
  EXPECT_EQ(y.to_host(), (std::vector<float>{13.0f, 14.0f}));
}

// Grades exercise C0.1.
TEST_F(SaxpyCuda, UpdatesEveryElementForAnySize) {
  // Oracle: the same arithmetic on the host; a processor may round a * x first or not, hence the tolerance.
  in_all_thread_orders([] {
    for (const int n : {1, 31, 33, 255, 256, 257, 1000, 10000}) {
      const std::vector<float> x = random_numbers(n, 1), before = random_numbers(n, 2);
      const DeviceBuffer<float> device_x(x);
      DeviceBuffer<float> device_y(before);
      saxpy(-1.5f, device_x.data(), device_y.data(), n);
      const std::vector<float> y = device_y.to_host();
      for (int i = 0; i < n; ++i) {
        const double expected = -1.5 * x[i] + before[i], error = std::abs(y[i] - expected);
        ASSERT_TRUE(error <= 1e-6) << "element " << i << " of " << n << ": expected " << expected << ", got " << y[i]
                                   << (y[i] == before[i] ? ", as before the call: no thread has updated it" : "");
      }
      EXPECT_EQ(device_x.to_host(), x) << "x is not to be changed";
    }
  });
}

// Grades exercise C0.1.
TEST_F(SaxpyCuda, TouchesNothingPastTheEnd) {
  // Oracle: invariance. What lies behind the n elements stays as it was, and does not count as 0 times something: there
  // x is infinite.
  for (const int n : {1, 31, 255, 257, 300}) {
    std::vector<float> x(1024, std::numeric_limits<float>::infinity()), before(1024, 5.0f);
    std::fill(x.begin(), x.begin() + n, 1.0f);
    const DeviceBuffer<float> device_x(x);
    DeviceBuffer<float> device_y(before);
    saxpy(2.0f, device_x.data(), device_y.data(), n);
    const std::vector<float> y = device_y.to_host();
    for (int i = 0; i < 1024; ++i) {
      ASSERT_EQ(y[i], i < n ? 7.0f : 5.0f)
          << "element " << i << " with n = " << n
          << (i >= n ? ": the last thread block has more threads than elements are left" : "");
    }
  }
}

// Grades exercise C0.1.
TEST_F(SaxpyCuda, OfNothingLaunchesNothing) {
  // Oracle: the header. CUDA refuses a grid without thread blocks.
  DeviceBuffer<float> y(std::vector<float>{5.0f});
  EXPECT_NO_THROW(saxpy(2.0f, y.data(), y.data(), 0));
  EXPECT_EQ(y.to_host()[0], 5.0f);
}

}  // namespace
}  // namespace waitless
