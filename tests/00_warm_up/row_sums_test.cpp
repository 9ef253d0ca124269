#include "row_sums.h"

#include <gtest/gtest.h>

#include "common/testing/random_model.h"

namespace waitless {
namespace {

// Grades exercise 0.1.
TEST(RowSums, OfTwoRowsAreTheHandComputedPair) {
  // Oracle: by hand. 1 + 2 + 3 and -4 + 5 + 0.5.
  const Matrix x{{1.0f, 2.0f, 3.0f}, {-4.0f, 5.0f, 0.5f}};
  EXPECT_EQ(row_sums(x), (std::vector<float>{6.0f, 1.5f}));
}

// Grades exercise 0.1.
TEST(RowSums, MatchDoublePrecisionForAnyShape) {
  // Oracle: double precision.
  for (const auto& [rows, cols] : {std::pair{1, 1}, {1, 33}, {31, 1}, {33, 31}, {5, 1000}}) {
    const Matrix x = random_matrix(rows, cols, 7);
    const std::vector<float> sums = row_sums(x);
    ASSERT_EQ(sums.size(), std::size_t(rows)) << "one sum for each row of [" << rows << ", " << cols << "]";
    for (int r = 0; r < rows; ++r) {
      const double expected = x.row(r).cast<double>().sum(), error = std::abs(sums[r] - expected);
      ASSERT_TRUE(error <= 2e-4) << "row " << r << " of [" << rows << ", " << cols << "]: expected " << expected
                                 << ", got " << sums[r] << " (is it the sum along the row, not down the column?)";
    }
  }
}

// Grades exercise 0.1.
TEST(RowSums, OfAViewSkipWhatTheViewLeavesOut) {
  // Oracle: invariance. A block of columns has rows that lie further apart than they are long.
  const Matrix x = random_matrix(6, 10, 3);
  const Matrix middle = x.middleCols(2, 5);
  EXPECT_EQ(row_sums(x.middleCols(2, 5)), row_sums(middle));
}

// Grades exercise 0.1.
TEST(RowSums, OfEmptyRowsAreZero) {
  // Oracle: the header.
  EXPECT_EQ(row_sums(Matrix(3, 0)), std::vector<float>(3, 0.0f));
  EXPECT_TRUE(row_sums(Matrix(0, 4)).empty());
}

}  // namespace
}  // namespace waitless
