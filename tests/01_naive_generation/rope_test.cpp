#include "rope.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/testing/compare.h"
#include "common/testing/random_model.h"
#include "oracles.h"

namespace waitless {
namespace {

Matrix rope_of(Matrix x, const std::vector<int>& position, int head_dim, const RopeParameters& parameters = {}) {
  rope(x, position, head_dim, parameters);
  return x;
}

// Grades exercise 1.3.
TEST(Rope, TurnsNeighboursByTheirAngle) {
  // Oracle: by hand. head_dim 4, base 100, position 1: pair 0 turns by 1, pair 1 by 100^(-2/4) = 0.1.
  const Matrix x{{1.0f, 0.0f, 0.0f, 1.0f}};
  const Matrix expected{{0.5403023f, 0.8414710f, -0.0998334f, 0.9950042f}};
  EXPECT_TRUE(near(expected, rope_of(x, {1}, 4, {.base = 100.0f}), 1e-6, "(pairs are neighbours: 2i and 2i + 1)"));
}

// Grades exercise 1.3.
TEST(Rope, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision, far positions included, where a rounded angle would show.
  for (const auto& [T, heads, head_dim] : {std::tuple{1, 1, 2}, {3, 5, 6}, {31, 2, 32}, {4, 9, 64}}) {
    const Matrix x = random_matrix(T, heads * head_dim);
    std::vector<int> position;
    for (int t = 0; t < T; ++t) position.push_back(t * 257 % 8192);
    EXPECT_TRUE(near(oracle::rope(x.cast<double>(), position, head_dim, 10000), rope_of(x, position, head_dim), 2e-6))
        << "[" << T << ", " << heads << " x " << head_dim << "]";
  }
}

// Grades exercise 1.3.
TEST(Rope, LeavesPositionZeroAlone) {
  // Oracle: by hand. An angle of 0 turns nothing.
  const Matrix x = random_matrix(2, 12);
  EXPECT_EQ(rope_of(x, {0, 0}, 6), x);
}

// Grades exercise 1.3.
TEST(Rope, MakesScoresDependOnDistanceAlone) {
  // Oracle: invariance. <R(m) q, R(n) k> is the same for (3, 1), (10, 8) and (102, 100).
  const Matrix q = random_matrix(1, 16, 1), k = random_matrix(1, 16, 2);
  const auto score = [&](int m, int n) { return rope_of(q, {m}, 16).row(0).dot(rope_of(k, {n}, 16).row(0)); };
  EXPECT_NEAR(score(3, 1), score(10, 8), 1e-5f);
  EXPECT_NEAR(score(3, 1), score(102, 100), 1e-5f);
  EXPECT_GT(std::abs(score(3, 1) - score(3, 2)), 1e-3f);
}

// Grades exercise 1.3.
TEST(Rope, TakesBaseAndScaleFromItsParameters) {
  // Oracle: double precision; and dividing positions by 4 makes position 8 look like position 2.
  const Matrix x = random_matrix(1, 8);
  EXPECT_TRUE(near(oracle::rope(x.cast<double>(), {7}, 8, 500000), rope_of(x, {7}, 8, {.base = 500000.0f}), 2e-6));
  EXPECT_TRUE(near(rope_of(x, {2}, 8), rope_of(x, {8}, 8, {.position_scale = 4.0f}), 1e-6));
}

// Grades exercise 1.3.
TEST(Rope, RefusesArgumentsThatDoNotFit) {
  // Oracle: the header.
  EXPECT_THROW(rope_of(random_matrix(2, 8), {0}, 4), std::invalid_argument);
  EXPECT_THROW(rope_of(random_matrix(2, 8), {0, 1, 2}, 4), std::invalid_argument);
  EXPECT_THROW(rope_of(random_matrix(1, 9), {0}, 3), std::invalid_argument);
  EXPECT_THROW(rope_of(random_matrix(1, 9), {0}, 4), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
