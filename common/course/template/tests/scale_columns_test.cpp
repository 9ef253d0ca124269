#include "scale_columns.h"

#include <gtest/gtest.h>

#include "common/testing/guarded.h"
#include "common/testing/mistakes.h"
#include "common/testing/random_model.h"

namespace waitless {
namespace {

/// With views between guards, whose rows lie further apart than they are long.
Matrix scaled(const Matrix& x, const Matrix& scale) {
  Guarded in(x), out(x.rows(), x.cols());
  scale_columns(in, scale, out);
  return out.values();
}

// Grades exercise @N@.1.
TEST(ScaleColumns, OfTwoRowsIsTheHandComputedMatrix) {
  // Oracle: by hand. Columns times 10 and -1.
  const Matrix x{{1.0f, 2.0f}, {3.0f, 4.0f}}, scale{{10.0f, -1.0f}};
  const Matrix expected{{10.0f, -2.0f}, {30.0f, -4.0f}};
  EXPECT_TRUE(matches(expected, scaled(x, scale), 0.0,
                      {{"rows are scaled instead of columns", RowMajorXd{{10.0, 20.0}, {-3.0, -4.0}}}}));
}

// Grades exercise @N@.1.
TEST(ScaleColumns, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision. One rounding is at most 2^-24 of the result.
  for (const auto& [T, D] : {std::pair{3, 31}, {1, 1}, {31, 1}, {1, 33}, {5, 300}}) {
    const Matrix x = random_matrix(T, D, 1), scale = random_matrix(1, D, 2);
    const RowMajorXd exact = x.cast<double>(), factors = scale.cast<double>();
    EXPECT_TRUE(matches(exact * factors.row(0).asDiagonal(), scaled(x, scale), 1e-7,
                        {{"the first column's scale is taken for all", exact * factors(0, 0)}}))
        << "[" << T << ", " << D << "]";
  }
}

// Grades exercise @N@.1.
TEST(ScaleColumns, MayWriteOverItsInput) {
  // Oracle: invariance.
  const Matrix x = random_matrix(4, 20), scale = random_matrix(1, 20, 2);
  Guarded in_place(x);
  scale_columns(in_place, scale, in_place);
  EXPECT_EQ(in_place.values(), scaled(x, scale));
}

// Grades exercise @N@.1.
TEST(ScaleColumns, OfNoRowsWritesNothing) {
  // Oracle: the header.
  EXPECT_NO_THROW(scaled(Matrix(0, 4), Matrix::Ones(1, 4)));
}

// Grades exercise @N@.1.
TEST(ScaleColumns, RefusesShapesThatDoNotFit) {
  // Oracle: the header.
  const auto refuses = [](const Matrix& x, const Matrix& scale, Index out_rows, Index out_cols) {
    Guarded out(out_rows, out_cols);
    EXPECT_THROW(scale_columns(x, scale, out), std::invalid_argument)
        << "x [" << x.rows() << ", " << x.cols() << "], scale [" << scale.rows() << ", " << scale.cols() << "], out ["
        << out_rows << ", " << out_cols << "]";
  };
  refuses(random_matrix(2, 3), random_matrix(1, 4), 2, 3);
  refuses(random_matrix(2, 3), random_matrix(2, 3), 2, 3);
  refuses(random_matrix(2, 3), random_matrix(1, 3), 3, 3);
  refuses(random_matrix(2, 3), random_matrix(1, 3), 2, 4);
}

}  // namespace
}  // namespace waitless
