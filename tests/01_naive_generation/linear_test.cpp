#include "linear.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "common/testing/guarded.h"
#include "common/testing/mistakes.h"
#include "common/testing/random_model.h"
#include "operator_mistakes.h"

namespace waitless {
namespace {

/// With views between guards, whose rows lie further apart than they are long.
Matrix linear_of(const Matrix& w, const Matrix& x) {
  Guarded in(x), out(x.rows(), w.rows());
  linear(make_weight(w), in, out);
  return out.values();
}

// Grades exercise 1.4.
TEST(Linear, MultipliesByTheTransposedWeight) {
  // Oracle: by hand. Output o is the dot product of x with row o of W.
  const Matrix w{{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}}, x{{10.0f, 1.0f}};
  EXPECT_TRUE(matches(Matrix{{12.0f, 34.0f, 56.0f}}, linear_of(w, x), 0, linear_mistakes(w, x, Guarded::kUnwritten)));
}

// Grades exercise 1.4.
TEST(Linear, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision. One row takes another path through Eigen than many.
  for (const auto& [T, I, O] : {std::tuple{3, 31, 33}, {1, 1, 1}, {1, 33, 31}, {5, 8, 8}, {64, 96, 20}}) {
    const Matrix w = random_matrix(O, I, 1), x = random_matrix(T, I, 2);
    const Eigen::MatrixXd expected = x.cast<double>() * w.cast<double>().transpose();
    EXPECT_TRUE(matches(expected, linear_of(w, x), 1e-5, linear_mistakes(w, x, Guarded::kUnwritten)))
        << T << " rows, " << I << " -> " << O;
  }
}

// Grades exercise 1.4.
TEST(Linear, WritesIntoViewsOfLargerMatrices) {
  // Oracle: invariance. Columns 2..5 of a wide matrix in, columns 1..4 of another out; the rest stays as it was.
  const Matrix w = random_matrix(4, 4, 1), wide = random_matrix(3, 9, 2);
  Matrix out = Matrix::Constant(3, 6, 7.0f);
  linear(make_weight(w), wide.middleCols(2, 4), out.middleCols(1, 4));
  EXPECT_TRUE(matches(linear_of(w, wide.middleCols(2, 4)), Matrix(out.middleCols(1, 4)), 1e-6));
  EXPECT_EQ(out.col(0), Eigen::VectorXf::Constant(3, 7.0f));
  EXPECT_EQ(out.col(5), Eigen::VectorXf::Constant(3, 7.0f));
}

// Grades exercise 1.4.
TEST(Linear, OfNoRowsWritesNothing) {
  // Oracle: the header.
  EXPECT_NO_THROW(linear_of(random_matrix(5, 3), Matrix(0, 3)));
}

// Grades exercise 1.4.
TEST(Linear, RefusesShapesThatDoNotFit) {
  // Oracle: the header.
  const auto refuses = [](const Matrix& w, const Matrix& x, Index out_rows, Index out_cols) {
    Guarded out(out_rows, out_cols);
    EXPECT_THROW(linear(make_weight(w), x, out), std::invalid_argument)
        << "w [" << w.rows() << ", " << w.cols() << "], x [" << x.rows() << ", " << x.cols() << "], out [" << out_rows
        << ", " << out_cols << "]";
  };
  refuses(random_matrix(5, 3), random_matrix(2, 4), 2, 5);
  refuses(random_matrix(4, 3), random_matrix(2, 3), 2, 5);
  refuses(random_matrix(5, 3), random_matrix(1, 3), 2, 5);
  refuses(random_matrix(3, 5), random_matrix(2, 3), 2, 5);
}

// Grades exercise 1.4.
TEST(Linear, ReadsAWeightThatIsPartOfALargerOne) {
  // Oracle: invariance. Columns 2..6 of a matrix of 9: the rows of the weight lie further apart than they are long.
  const Matrix large = random_matrix(4, 9, 1), x = random_matrix(3, 5, 2);
  Weight part = make_weight(large);
  part.cols = 5;
  part.stride = Index(large.cols() * sizeof(float));
  part.data += 2 * sizeof(float);
  Guarded out(3, 4);
  linear(part, x, out);
  EXPECT_TRUE(matches(linear_of(large.middleCols(2, 5), x), out.values(), 1e-6))
      << "w.f32() knows where the rows of the weight lie";
}

// Grades exercise 1.4.
TEST(Linear, RefusesAWeightOfAnotherFormat) {
  // Oracle: the header. The bytes of an F16 weight are no floats, and rows that lie interleaved in panels are no rows.
  const std::vector<std::uint16_t> halves(64, 0x3c00);  // ones
  Weight w;
  w.rows = 4;
  w.cols = 8;
  w.data = reinterpret_cast<const std::byte*>(halves.data());
  Matrix out(2, 4);
  for (const WeightType type : {WeightType::kF16, WeightType::kBF16}) {
    w.format = find_format(type);
    EXPECT_THROW(linear(w, random_matrix(2, 8), out), std::invalid_argument) << w.format->name;
  }
  Weight panels = make_weight(random_matrix(4, 8));
  panels.panel_rows = 4;
  EXPECT_THROW(linear(panels, random_matrix(2, 8), out), std::invalid_argument) << "panels of 4 rows";
}

}  // namespace
}  // namespace waitless
