#include "common/testing/cuda_test.h"
#include "common/testing/random_model.h"
#include "common/testing/thread_orders.h"
#include "copy.h"

namespace waitless {
namespace {

using Copy = void (*)(const float*, float*, int, int, cudaStream_t);

/// Copies matrices of several shapes into a larger buffer, which must not change behind the copy.
void expect_copies(Copy copy) {
  for (const auto& [n_rows, n_cols] : {std::pair{1, 1}, {1, 33}, {33, 1}, {8, 32}, {31, 33}, {70, 100}, {100, 9}}) {
    const Matrix x = random_matrix(n_rows, n_cols, 11);
    const int n = n_rows * n_cols;
    const DeviceBuffer<float> device_x(std::span(x.data(), std::size_t(n)));
    DeviceBuffer<float> device_y(std::vector<float>(n + 1000, 99.0f));
    copy(device_x.data(), device_y.data(), n_rows, n_cols, nullptr);
    const std::vector<float> y = device_y.to_host();
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(y[i], x.data()[i]) << "element [" << i / n_cols << ", " << i % n_cols << "] of [" << n_rows << ", "
                                   << n_cols << "]" << (y[i] == 99.0f ? " was not written" : "");
    }
    for (int i = n; i < n + 1000; ++i) {
      ASSERT_EQ(y[i], 99.0f) << "something was written " << i - n << " elements past the end of [" << n_rows << ", "
                             << n_cols << "] (are row and column both checked?)";
    }
  }
}

class CopyCuda : public CudaTest {};

// Grades exercise C0.2.
TEST_F(CopyCuda, RowsCopyEveryElementOfAnyShape) {
  // Oracle: the input.
  in_all_thread_orders([] { expect_copies(copy_rows); });
}

// Grades exercise C0.2.
TEST_F(CopyCuda, ColumnsCopyEveryElementOfAnyShape) {
  // Oracle: the input.
  in_all_thread_orders([] { expect_copies(copy_columns); });
}

// Guards the launchers, which are given.
TEST_F(CopyCuda, OfAnEmptyMatrixLaunchesNothing) {
  // Oracle: the header.
  DeviceBuffer<float> y(std::vector<float>(4, 99.0f));
  for (const Copy copy : {copy_rows, copy_columns}) {
    EXPECT_NO_THROW(copy(y.data(), y.data(), 0, 4, nullptr));
    EXPECT_NO_THROW(copy(y.data(), y.data(), 4, 0, nullptr));
  }
  EXPECT_EQ(y.to_host(), std::vector<float>(4, 99.0f));
}

}  // namespace
}  // namespace waitless
