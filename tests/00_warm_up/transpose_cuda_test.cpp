#include "common/testing/cuda_test.h"
#include "common/testing/guarded.h"
#include "common/testing/mistakes.h"
#include "common/testing/random_model.h"
#include "common/testing/thread_orders.h"
#include "transpose.h"

namespace waitless {
namespace {

class TransposeCuda : public CudaTest {};

/// [rows, cols] of the first numbers of `memory`.
RowMajorXd as_matrix(const std::vector<float>& memory, Index rows, Index cols) {
  return ConstMatrixMap(memory.data(), rows, cols).cast<double>();
}

/// Transposes matrices of several shapes into a larger buffer, which must not change behind the result.
void expect_transposes(const std::vector<std::pair<int, int>>& shapes) {
  for (const auto& [n_rows, n_cols] : shapes) {
    const Matrix x = random_matrix(n_rows, n_cols, 11);
    const DeviceBuffer<float> device_x(std::span(x.data(), std::size_t(x.size())));
    DeviceBuffer<float> device_y(std::vector<float>(x.size() + 5000, Guarded::kUnwritten));
    transpose(device_x.data(), device_y.data(), n_rows, n_cols);
    const std::vector<float> y = device_y.to_host();

    // Each tile is transposed, but stays where it was.
    RowMajorXd in_place = RowMajorXd::Zero(n_rows, n_cols);
    for (int r = 0; r < n_rows; ++r) {
      for (int c = 0; c < n_cols; ++c) {
        const int from_row = r / 32 * 32 + c % 32, from_col = c / 32 * 32 + r % 32;
        if (from_row < n_rows && from_col < n_cols) in_place(r, c) = x(from_row, from_col);
      }
    }
    in_place.resize(n_cols, n_rows);  // the same numbers, read in rows of another length
    RowMajorXd copied = x.cast<double>();
    copied.resize(n_cols, n_rows);
    EXPECT_TRUE(matches(x.transpose().cast<double>(), as_matrix(y, n_cols, n_rows), 0,
                        {{"the matrix is copied as it is", copied},
                         {"each tile is transposed, but written where it was read", in_place}}))
        << "[" << n_rows << ", " << n_cols << "]";
    for (std::size_t i = x.size(); i < y.size(); ++i) {
      ASSERT_EQ(y[i], Guarded::kUnwritten) << "something was written " << i - x.size() << " elements past the end of ["
                                           << n_cols << ", " << n_rows << "]";
    }
  }
}

// Grades exercise C0.5.
TEST_F(TransposeCuda, TurnsRowsIntoColumns) {
  // Oracle: Eigen. Whole tiles, in more rows than columns and the other way round.
  in_all_thread_orders([] { expect_transposes({{64, 96}, {96, 32}, {32, 32}}); });
}

// Grades exercise C0.5.
TEST_F(TransposeCuda, OfAnyShapeKeepsToItsElements) {
  // Oracle: Eigen. Tiles that are cut off on the right, below, and on both sides.
  in_all_thread_orders([] { expect_transposes({{1, 1}, {1, 33}, {33, 1}, {31, 33}, {70, 100}, {100, 9}}); });
}

// Guards the launcher, which is given.
TEST_F(TransposeCuda, OfAnEmptyMatrixLaunchesNothing) {
  // Oracle: the header.
  DeviceBuffer<float> y(std::vector<float>(4, Guarded::kUnwritten));
  EXPECT_NO_THROW(transpose(y.data(), y.data(), 0, 4));
  EXPECT_NO_THROW(transpose(y.data(), y.data(), 4, 0));
  EXPECT_EQ(y.to_host(), std::vector<float>(4, Guarded::kUnwritten));
}

}  // namespace
}  // namespace waitless
