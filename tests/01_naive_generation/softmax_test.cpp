#include "softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "common/testing/guarded.h"
#include "common/testing/mistakes.h"
#include "common/testing/random_model.h"

namespace waitless {
namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

/// Between guards: what is written in front of the row or behind it fails the test.
std::vector<float> softmax_of(const std::vector<float>& scores) {
  Guarded row(scores);
  softmax(row.row(0));
  return {row.row(0).begin(), row.row(0).end()};
}

// Grades exercise 1.1.
TEST(Softmax, MatchesADoublePrecisionSum) {
  // Oracle: the definition in double. Sizes around the width of a vector register.
  for (Index n : {33, 1, 2, 31, 257}) {
    const Matrix x = random_matrix(1, n, 7) * 5;
    const RowMajorXd scores = x.cast<double>(), e = scores.array().exp();
    Guarded got(x);
    softmax(got.row(0));
    EXPECT_TRUE(matches(e / e.sum(), got.values(), 1e-6,
                        {{"the exponentials are not divided by their sum", (scores.array() - scores.maxCoeff()).exp()},
                         {"exp is taken twice", e.array().exp() / e.array().exp().sum()},
                         {"nothing is written", scores}}))
        << "row of " << n;
  }
}

// Grades exercise 1.1.
TEST(Softmax, OfTwoScoresIsTheHandComputedPair) {
  // Oracle: by hand. exp(ln 3) : exp(0) = 3 : 1.
  const std::vector<float> p = softmax_of({std::log(3.0f), 0.0f});
  EXPECT_NEAR(p[0], 0.75f, 1e-6f);
  EXPECT_NEAR(p[1], 0.25f, 1e-6f);
}

// Grades exercise 1.1.
TEST(Softmax, DoesNotOverflowOnLargeScores) {
  // Oracle: invariance. Adding 3000 to every score changes nothing; exp(3000) overflows if it is ever computed.
  const std::vector<float> p = softmax_of({1.0f, 2.0f, 3.0f}), shifted = softmax_of({3001.0f, 3002.0f, 3003.0f});
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::abs(p[i] - shifted[i]) <= 1e-6f)
        << "subtract the maximum before exp(): got " << shifted[i] << ", expected " << p[i];
  }
}

// Grades exercise 1.1.
TEST(Softmax, DoesNotVanishOnVeryNegativeScores) {
  // Oracle: invariance. Subtracting 3000 from every score changes nothing; exp(-2999) is 0 unless the maximum is
  // subtracted.
  const std::vector<float> p = softmax_of({1.0f, 2.0f, 3.0f}), shifted = softmax_of({-2999.0f, -2998.0f, -2997.0f});
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::abs(p[i] - shifted[i]) <= 1e-6f)
        << "the maximum may be negative: got " << shifted[i] << ", expected " << p[i];
  }
}

// Grades exercise 1.1.
TEST(Softmax, GivesMaskedScoresExactlyZero) {
  // Oracle: by hand. At every length, so that vectorized and leftover elements are both seen.
  for (std::size_t n : {2u, 17u, 40u}) {
    std::vector<float> row(n, kMasked);
    row[n / 2] = -50.0f;
    const std::vector<float> p = softmax_of(row);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(p[i], i == n / 2 ? 1.0f : 0.0f) << "element " << i << " of " << n;
    }
  }
}

// Grades exercise 1.1.
TEST(Softmax, RefusesARowWithNothingToChoose) {
  // Oracle: the header. A fully masked row has no distribution, and 0 / 0 must not slip through as NaN.
  std::vector<float> empty;
  EXPECT_THROW(softmax_of(std::vector<float>(5, kMasked)), std::invalid_argument) << "all scores are -infinity";
  EXPECT_THROW(softmax_of({kMasked}), std::invalid_argument) << "the only score is -infinity";
  EXPECT_THROW(softmax(empty), std::invalid_argument) << "the row is empty";
}

// Grades exercise 1.1.
TEST(Softmax, RefusesNanAndInfinityWhereverTheyAre) {
  // Oracle: the header. Comparisons with NaN are false, so a maximum may miss it.
  for (std::size_t n : {1u, 3u, 19u}) {
    for (std::size_t at : {std::size_t(0), n / 2, n - 1}) {
      std::vector<float> with_nan(n, 1.0f), infinite(n, 1.0f);
      with_nan[at] = std::nanf("");
      infinite[at] = -kMasked;
      EXPECT_THROW(softmax_of(with_nan), std::invalid_argument) << "score " << at << " of " << n << " is NaN";
      EXPECT_THROW(softmax_of(infinite), std::invalid_argument) << "score " << at << " of " << n << " is +infinity";
    }
  }
}

}  // namespace
}  // namespace waitless
