#include "common/tensor/eigenvectors.h"

#include <gtest/gtest.h>

#include "common/testing/random_model.h"

namespace waitless {
namespace {

// Guards what low_rank_kv and its tests stand on.
TEST(Eigenvectors, OfAMatrixByHandComeInTheOrderOfTheirValues) {
  // Oracle: by hand. [2 1; 1 2] stretches (1, 1) by 3 and leaves (1, -1) as it is.
  const Eigenvectors found = eigenvectors(Eigen::MatrixXd{{2, 1}, {1, 2}});
  EXPECT_NEAR(found.values[0], 1, 1e-14);
  EXPECT_NEAR(found.values[1], 3, 1e-14);
  EXPECT_NEAR(found.vectors(0, 0), -found.vectors(1, 0), 1e-14);
  EXPECT_NEAR(found.vectors(0, 1), found.vectors(1, 1), 1e-14);
}

TEST(Eigenvectors, AreOrthonormalAndOnlyStretched) {
  // Oracle: the definition, A V = V diag(values) and V^T V = I.
  const Eigen::MatrixXd half = random_matrix(12, 9, 1).cast<double>(), a = half.transpose() * half;
  const Eigenvectors found = eigenvectors(a);
  EXPECT_LT((a * found.vectors - found.vectors * found.values.asDiagonal()).norm(), 1e-12 * a.norm());
  EXPECT_LT((found.vectors.transpose() * found.vectors - Eigen::MatrixXd::Identity(9, 9)).norm(), 1e-13);
  for (int i = 1; i < 9; ++i) EXPECT_LT(found.values[i - 1], found.values[i]);
}

}  // namespace
}  // namespace waitless
