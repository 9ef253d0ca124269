#include "row_sums.h"

#include <gtest/gtest.h>

#include "common/testing/guarded.h"
#include "common/testing/mistakes.h"
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
  for (const auto& [rows, cols] : {std::pair{33, 31}, {1, 1}, {1, 33}, {31, 1}, {5, 1000}}) {
    const Matrix x = random_matrix(rows, cols, 7);
    const RowMajorXd values = x.cast<double>();
    EXPECT_TRUE(matches(values.rowwise().sum().transpose(), as_row(row_sums(x)), 2e-4,
                        {{"columns are summed instead of rows", values.colwise().sum()},
                         {"the last column is left out", values.leftCols(cols - 1).rowwise().sum().transpose()},
                         {"the first column is left out", values.rightCols(cols - 1).rowwise().sum().transpose()}}))
        << "[" << rows << ", " << cols << "]";
  }
}

// Grades exercise 0.1.
TEST(RowSums, OfAViewSkipWhatTheViewLeavesOut) {
  // Oracle: invariance. The rows of the view lie further apart than they are long, and between them is NaN.
  const Matrix x = random_matrix(6, 5, 3);
  Guarded view(x);
  EXPECT_EQ(row_sums(view), row_sums(x)) << "element [r, c] of a view is x(r, c)";
}

// Grades exercise 0.1.
TEST(RowSums, OfEmptyRowsAreZero) {
  // Oracle: the header.
  EXPECT_EQ(row_sums(Matrix(3, 0)), std::vector<float>(3, 0.0f));
  EXPECT_TRUE(row_sums(Matrix(0, 4)).empty());
}

}  // namespace
}  // namespace waitless
