#include "scale_columns_cuda.h"

#include <vector>

#include "common/testing/cuda_test.h"
#include "common/testing/mistakes.h"
#include "common/testing/on_device.h"
#include "common/testing/random_model.h"

namespace waitless {
namespace {

class ScaleColumnsCuda : public CudaTest {};

// Grades exercise C@N@.1.
TEST_F(ScaleColumnsCuda, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision. 8 * 32 and 16 * 32 elements fill their thread blocks, the others do not.
  for (const auto& [T, D] : {std::pair{1, 1}, {31, 1}, {1, 33}, {8, 32}, {16, 32}, {7, 300}}) {
    const Matrix x = random_matrix(T, D, 1), scale = random_matrix(1, D, 2);
    OnDevice out = OnDevice::unwritten(T, D);
    scale_columns_cuda(OnDevice(x), OnDevice(scale), out);
    const RowMajorXd exact = x.cast<double>(), factors = scale.cast<double>();
    EXPECT_TRUE(matches(exact * factors.row(0).asDiagonal(), out.to_host(), 1e-7,
                        {{"the first column's scale is taken for all", exact * factors(0, 0)}}))
        << "[" << T << ", " << D << "]";
  }
}

// Grades exercise C@N@.1.
TEST_F(ScaleColumnsCuda, TouchesNothingPastTheEnd) {
  // Oracle: invariance. What lies behind the n elements of out stays as it was.
  constexpr int kSize = 1024;
  const DeviceBuffer<float> x(std::vector<float>(kSize, 3.0f)), scale(std::vector<float>(kSize, 2.0f));
  for (const int n : {1, 31, 255, 257, 300}) {
    DeviceBuffer<float> out(std::vector<float>(kSize, 5.0f));
    scale_columns_cuda({x.data(), 1, n}, {scale.data(), 1, n}, {out.data(), 1, n});
    const std::vector<float> got = out.to_host();
    for (int i = 0; i < kSize; ++i) {
      ASSERT_EQ(got[i], i < n ? 6.0f : 5.0f)
          << "element " << i << " with n = " << n
          << (i >= n ? ": the last thread block has more threads than elements are left" : "");
    }
  }
}

// Grades exercise C@N@.1.
TEST_F(ScaleColumnsCuda, MayWriteOverItsInput) {
  // Oracle: by hand.
  OnDevice x(Matrix{{1.0f, 2.0f}, {3.0f, 4.0f}});
  scale_columns_cuda(x, OnDevice(Matrix{{10.0f, -1.0f}}), x);
  EXPECT_EQ(x.to_host(), (Matrix{{10.0f, -2.0f}, {30.0f, -4.0f}}));
}

// Guards the launcher, which is given: CUDA refuses a grid without thread blocks.
TEST_F(ScaleColumnsCuda, OfNothingLaunchesNothing) {
  // Oracle: the header.
  EXPECT_NO_THROW(scale_columns_cuda({nullptr, 0, 4}, {nullptr, 1, 4}, {nullptr, 0, 4}));
}

// Guards the launcher, which is given.
TEST_F(ScaleColumnsCuda, RefusesShapesThatDoNotFit) {
  // Oracle: the header.
  EXPECT_THROW(scale_columns_cuda({nullptr, 2, 3}, {nullptr, 1, 4}, {nullptr, 2, 3}), std::invalid_argument);
  EXPECT_THROW(scale_columns_cuda({nullptr, 2, 3}, {nullptr, 1, 3}, {nullptr, 3, 3}), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
