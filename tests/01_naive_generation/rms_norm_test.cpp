#include "rms_norm.h"

#include <gtest/gtest.h>

#include "common/testing/compare.h"
#include "common/testing/random_model.h"
#include "oracles.h"

namespace waitless {
namespace {

Matrix rms_norm_of(const Matrix& x, const Matrix& gain, float eps) {
  Matrix out = Matrix::Constant(x.rows(), x.cols(), 99.0f);
  rms_norm(x, gain, eps, out);
  return out;
}

// Grades exercise 1.2.
TEST(RmsNorm, OfThreeAndFourIsTheHandComputedPair) {
  // Oracle: by hand. mean(9, 16) = 12.5; 3 / sqrt(12.5) * 2 and 4 / sqrt(12.5) * -1.
  const Matrix x{{3.0f, 4.0f}}, gain{{2.0f, -1.0f}};
  const Matrix expected{{1.6970563f, -1.1313708f}};
  EXPECT_TRUE(near(expected, rms_norm_of(x, gain, 0.0f), 1e-6));
}

// Grades exercise 1.2.
TEST(RmsNorm, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision. Each row has its own scale.
  for (const auto& [T, D] : {std::pair{1, 1}, {3, 31}, {5, 33}, {2, 576}}) {
    Matrix x = random_matrix(T, D, 3);
    for (int t = 0; t < T; ++t) x.row(t) *= float(t + 1);
    const Matrix gain = random_matrix(1, D, 4);
    EXPECT_TRUE(near(oracle::rms_norm(x.cast<double>(), gain.cast<double>(), 1e-5), rms_norm_of(x, gain, 1e-5f), 5e-6,
                     "(is each row scaled by its own mean square?)"))
        << "[" << T << ", " << D << "]";
  }
}

// Grades exercise 1.2.
TEST(RmsNorm, AddsEpsilonInsideTheRoot) {
  // Oracle: by hand. Zeros stay zeros; at x = eps = 1e-4 the answer is 1e-4 / sqrt(1e-8 + 1e-4), not 1e-4 / (1e-4 +
  // 1e-4).
  const Matrix gain = Matrix::Ones(1, 4);
  EXPECT_EQ(rms_norm_of(Matrix::Zero(2, 4), gain, 1e-5f), Matrix::Zero(2, 4).eval());
  EXPECT_TRUE(near(Matrix::Constant(1, 4, 0.0099995f).eval(), rms_norm_of(Matrix::Constant(1, 4, 1e-4f), gain, 1e-4f),
                   1e-7, "(eps belongs inside the square root)"));
}

// Grades exercise 1.2.
TEST(RmsNorm, MayWriteOverItsInput) {
  // Oracle: invariance.
  const Matrix x = random_matrix(4, 20), gain = random_matrix(1, 20, 2);
  Matrix in_place = x;
  rms_norm(in_place, gain, 1e-5f, in_place);
  EXPECT_EQ(in_place, rms_norm_of(x, gain, 1e-5f));
}

// Grades exercise 1.2.
TEST(RmsNorm, RefusesShapesThatDoNotFit) {
  // Oracle: the header.
  Matrix out(2, 3);
  EXPECT_THROW(rms_norm(random_matrix(2, 3), random_matrix(1, 4), 0.0f, out), std::invalid_argument);
  EXPECT_THROW(rms_norm(random_matrix(3, 3), random_matrix(1, 3), 0.0f, out), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
