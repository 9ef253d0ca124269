#include "linear.h"

#include <gtest/gtest.h>

#include "common/testing/compare.h"
#include "common/testing/random_model.h"

namespace waitless {
namespace {

Matrix linear_of(const Matrix& w, const Matrix& x) {
  Matrix out = Matrix::Constant(x.rows(), w.rows(), 99.0f);
  linear(make_weight(w), x, out);
  return out;
}

// Grades exercise 1.4.
TEST(Linear, MultipliesByTheTransposedWeight) {
  // Oracle: by hand. Output o is the dot product of x with row o of W.
  const Matrix w{{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}}, x{{10.0f, 1.0f}};
  EXPECT_EQ(linear_of(w, x), (Matrix{{12.0f, 34.0f, 56.0f}}));
}

// Grades exercise 1.4.
TEST(Linear, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision. One row takes another path through Eigen than many.
  for (const auto& [T, I, O] : {std::tuple{1, 1, 1}, {1, 33, 31}, {3, 31, 33}, {64, 96, 20}}) {
    const Matrix w = random_matrix(O, I, 1), x = random_matrix(T, I, 2);
    const Eigen::MatrixXd expected = x.cast<double>() * w.cast<double>().transpose();
    EXPECT_TRUE(near(expected, linear_of(w, x), 1e-5)) << T << " rows, " << I << " -> " << O;
  }
}

// Grades exercise 1.4.
TEST(Linear, WritesIntoViewsOfLargerMatrices) {
  // Oracle: invariance. Columns 2..5 of a wide matrix in, columns 1..4 of another out; the rest stays as it was.
  const Matrix w = random_matrix(4, 4, 1), wide = random_matrix(3, 9, 2);
  Matrix out = Matrix::Constant(3, 6, 7.0f);
  linear(make_weight(w), wide.middleCols(2, 4), out.middleCols(1, 4));
  EXPECT_TRUE(near(linear_of(w, wide.middleCols(2, 4)), out.middleCols(1, 4), 1e-6));
  EXPECT_EQ(out.col(0), Eigen::VectorXf::Constant(3, 7.0f));
  EXPECT_EQ(out.col(5), Eigen::VectorXf::Constant(3, 7.0f));
}

// Grades exercise 1.4.
TEST(Linear, RefusesShapesThatDoNotFit) {
  // Oracle: the header.
  Matrix out(2, 5);
  EXPECT_THROW(linear(make_weight(random_matrix(5, 3)), random_matrix(2, 4), out), std::invalid_argument);
  EXPECT_THROW(linear(make_weight(random_matrix(4, 3)), random_matrix(2, 3), out), std::invalid_argument);
  EXPECT_THROW(linear(make_weight(random_matrix(5, 3)), random_matrix(1, 3), out), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
