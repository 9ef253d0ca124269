#include "rope.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/testing/guarded.h"
#include "common/testing/mistakes.h"
#include "common/testing/random_model.h"
#include "operator_mistakes.h"
#include "oracles.h"

namespace waitless {
namespace {

/// In a view between guards, whose rows lie further apart than they are long.
Matrix rope_of(const Matrix& x, const std::vector<int>& position, int head_dim, const RopeParameters& parameters = {}) {
  Guarded rotated(x);
  rope(rotated, position, head_dim, parameters);
  return rotated.values();
}

void expect_oracle(const Matrix& x, const std::vector<int>& position, int head_dim,
                   const RopeParameters& parameters = {}) {
  EXPECT_TRUE(matches(
      oracle::rope(x.cast<double>(), position, head_dim, double(parameters.base), double(parameters.position_scale)),
      rope_of(x, position, head_dim, parameters), 2e-6, rope_mistakes(x, position, head_dim, parameters)))
      << "[" << x.rows() << ", " << x.cols() / head_dim << " x " << head_dim << "], position " << position.back();
}

// Grades exercise 1.3.
TEST(Rope, TurnsNeighboursByTheirAngle) {
  // Oracle: by hand. head_dim 4, base 100, position 1: pair 0 turns by 1, pair 1 by 100^(-2/4) = 0.1.
  const Matrix x{{1.0f, 0.0f, 0.0f, 1.0f}};
  const Matrix expected{{0.5403023f, 0.8414710f, -0.0998334f, 0.9950042f}};
  EXPECT_TRUE(
      matches(expected, rope_of(x, {1}, 4, {.base = 100.0f}), 1e-6, rope_mistakes(x, {1}, 4, {.base = 100.0f})));
}

// Grades exercise 1.3.
TEST(Rope, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision, far positions included, where a rounded angle would show.
  for (const auto& [T, heads, head_dim] : {std::tuple{3, 5, 6}, {1, 1, 2}, {31, 2, 32}, {4, 9, 64}}) {
    std::vector<int> position;
    for (int t = 0; t < T; ++t) position.push_back((t + 1) * 257 % 8192);
    expect_oracle(random_matrix(T, heads * head_dim), position, head_dim);
  }
}

// Grades exercise 1.3.
TEST(Rope, TakesPositionsThatAFloatCannotHold) {
  // Oracle: double precision. The float next to 2^24 + 1 is 2^24, a whole radian away.
  const Matrix x{{1.0f, 0.0f}};
  EXPECT_TRUE(matches(oracle::rope(x.cast<double>(), {16777217}, 2, 10000), rope_of(x, {16777217}, 2), 2e-6,
                      {{"the position is rounded to a float", oracle::rope(x.cast<double>(), {16777216}, 2, 10000)}}));
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
  // Oracle: double precision; and dividing positions by 4 makes position 8 look like position 2. A scale of 2.5 or of
  // 0.75 is a number like any other.
  const Matrix x = random_matrix(1, 8);
  expect_oracle(x, {7}, 8, {.base = 500000.0f});
  EXPECT_TRUE(matches(rope_of(x, {2}, 8), rope_of(x, {8}, 8, {.position_scale = 4.0f}), 1e-6,
                      rope_mistakes(x, {8}, 8, {.position_scale = 4.0f})));
  for (const float scale : {2.0f, 2.5f, 0.75f}) expect_oracle(x, {3}, 8, {.position_scale = scale});
}

// Grades exercise 1.3.
TEST(Rope, OfNoRowsWritesNothing) {
  // Oracle: the header.
  EXPECT_NO_THROW(rope_of(Matrix(0, 8), {}, 4));
}

// Grades exercise 1.3.
TEST(Rope, RefusesArgumentsThatDoNotFit) {
  // Oracle: the header.
  EXPECT_THROW(rope_of(random_matrix(2, 8), {0}, 4), std::invalid_argument);
  EXPECT_THROW(rope_of(random_matrix(2, 8), {0, 1, 2}, 4), std::invalid_argument);
  EXPECT_THROW(rope_of(random_matrix(1, 9), {0}, 3), std::invalid_argument);
  EXPECT_THROW(rope_of(random_matrix(1, 9), {0}, 4), std::invalid_argument);
  EXPECT_THROW(rope_of(random_matrix(1, 10), {0}, 4), std::invalid_argument);
  EXPECT_THROW(rope_of(random_matrix(1, 8), {0}, 0), std::invalid_argument);
  EXPECT_THROW(rope_of(random_matrix(1, 8), {0}, -4), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
