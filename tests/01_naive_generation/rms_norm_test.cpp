#include "rms_norm.h"

#include <gtest/gtest.h>

#include "common/testing/guarded.h"
#include "common/testing/mistakes.h"
#include "common/testing/random_model.h"
#include "operator_mistakes.h"
#include "oracles.h"

namespace waitless {
namespace {

/// With views between guards, whose rows lie further apart than they are long.
Matrix rms_norm_of(const Matrix& x, const Matrix& gain, float eps) {
  Guarded in(x), out(x.rows(), x.cols());
  rms_norm(in, gain, eps, out);
  return out.values();
}

void expect_oracle(const Matrix& x, const Matrix& gain, float eps, double tolerance) {
  EXPECT_TRUE(matches(oracle::rms_norm(x.cast<double>(), gain.cast<double>(), double(eps)), rms_norm_of(x, gain, eps),
                      tolerance, rms_norm_mistakes(x, gain, double(eps))))
      << "[" << x.rows() << ", " << x.cols() << "], eps " << eps;
}

// Grades exercise 1.2.
TEST(RmsNorm, OfThreeAndFourIsTheHandComputedPair) {
  // Oracle: by hand. mean(9, 16) = 12.5; 3 / sqrt(12.5) * 2 and 4 / sqrt(12.5) * -1.
  const Matrix x{{3.0f, 4.0f}}, gain{{2.0f, -1.0f}};
  const Matrix expected{{1.6970563f, -1.1313708f}};
  EXPECT_TRUE(matches(expected, rms_norm_of(x, gain, 0.0f), 1e-6, rms_norm_mistakes(x, gain, 0)));
}

// Grades exercise 1.2.
TEST(RmsNorm, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision. Each row has its own scale.
  for (const auto& [T, D] : {std::pair{3, 31}, {1, 1}, {5, 33}, {2, 576}}) {
    Matrix x = random_matrix(T, D, 3);
    for (int t = 0; t < T; ++t) x.row(t) *= float(t + 1);
    expect_oracle(x, random_matrix(1, D, 4), 1e-5f, 5e-6);
  }
}

// Grades exercise 1.2.
TEST(RmsNorm, AddsEpsilonInsideTheRoot) {
  // Oracle: double precision, with an eps as large as the mean squares. Zeros stay zeros.
  expect_oracle(random_matrix(2, 8, 3), random_matrix(1, 8, 4), 0.5f, 1e-6);
  EXPECT_EQ(rms_norm_of(Matrix::Zero(2, 4), Matrix::Ones(1, 4), 1e-5f), Matrix::Zero(2, 4).eval());
}

// Grades exercise 1.2.
TEST(RmsNorm, OfNoRowsWritesNothing) {
  // Oracle: the header.
  EXPECT_NO_THROW(rms_norm_of(Matrix(0, 4), Matrix::Ones(1, 4), 1e-5f));
}

// Grades exercise 1.2.
TEST(RmsNorm, MayWriteOverItsInput) {
  // Oracle: invariance.
  const Matrix x = random_matrix(4, 20), gain = random_matrix(1, 20, 2);
  Guarded in_place(x);
  rms_norm(in_place, gain, 1e-5f, in_place);
  EXPECT_EQ(in_place.values(), rms_norm_of(x, gain, 1e-5f));
}

// Grades exercise 1.2.
TEST(RmsNorm, RefusesShapesThatDoNotFit) {
  // Oracle: the header.
  const auto refuses = [](const Matrix& x, const Matrix& gain, Index out_rows, Index out_cols) {
    Guarded out(out_rows, out_cols);
    EXPECT_THROW(rms_norm(x, gain, 0.0f, out), std::invalid_argument)
        << "x [" << x.rows() << ", " << x.cols() << "], gain [" << gain.rows() << ", " << gain.cols() << "], out ["
        << out_rows << ", " << out_cols << "]";
  };
  refuses(random_matrix(2, 3), random_matrix(1, 4), 2, 3);
  refuses(random_matrix(2, 3), random_matrix(3, 1), 2, 3);
  refuses(random_matrix(2, 3), random_matrix(2, 3), 2, 3);
  refuses(random_matrix(3, 3), random_matrix(1, 3), 2, 3);
  refuses(random_matrix(2, 3), random_matrix(1, 3), 2, 4);
}

}  // namespace
}  // namespace waitless
