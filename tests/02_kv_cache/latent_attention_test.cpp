#include "latent_attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/testing/compare.h"
#include "common/testing/random_model.h"

namespace waitless {
namespace {

constexpr int kModel = 24, kLatent = 10;

LatentWeights random_weights() {
  LatentWeights w;
  w.n_heads = 3, w.nope_dim = 6, w.rope_dim = 4, w.value_dim = 5;
  w.query = random_matrix(3 * 10, kModel, 1);
  w.latent = random_matrix(kLatent, kModel, 2);
  w.rotated_key = random_matrix(4, kModel, 3);
  w.key = random_matrix(3 * 6, kLatent, 4);
  w.value = random_matrix(3 * 5, kLatent, 5);
  return w;
}

LatentCache random_cache(Index S) { return {random_matrix(S, kLatent, 6), random_matrix(S, 4, 7)}; }

// Grades exercise 2.9.
TEST(ExpandedAttention, MatchesDoublePrecision) {
  // Oracle: double precision with plain loops.
  const LatentWeights w = random_weights();
  for (Index S : {1, 2, 33}) {
    const LatentCache cache = random_cache(S);
    const Matrix q = random_matrix(1, 30, 8);
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(1, 15);
    const Eigen::MatrixXd c = cache.latents.cast<double>();
    const Eigen::MatrixXd keys = c * w.key.cast<double>().transpose(), values = c * w.value.cast<double>().transpose();
    for (int h = 0; h < 3; ++h) {
      double total = 0;
      for (Index s = 0; s < S; ++s) {
        double score = 0;
        for (int d = 0; d < 6; ++d) score += double(q(0, h * 10 + d)) * keys(s, h * 6 + d);
        for (int d = 0; d < 4; ++d) score += double(q(0, h * 10 + 6 + d)) * double(cache.rotated_keys(s, d));
        const double weight = std::exp(score / std::sqrt(10.0));
        total += weight;
        for (int d = 0; d < 5; ++d) expected(0, h * 5 + d) += weight * values(s, h * 5 + d);
      }
      for (int d = 0; d < 5; ++d) expected(0, h * 5 + d) /= total;
    }
    EXPECT_TRUE(near(expected, expanded_attention(w, cache, q), 2e-6, "(scale by sqrt(nope_dim + rope_dim))")) << S;
  }
}

// Grades exercise 2.9.
TEST(AbsorbedAttention, IsTheExpandedOne) {
  // Oracle: the other formula.
  const LatentWeights w = random_weights();
  for (Index S : {1, 2, 33, 200}) {
    const Matrix q = random_matrix(1, 30, 9);
    EXPECT_TRUE(near(expanded_attention(w, random_cache(S), q), absorbed_attention(w, random_cache(S), q), 2e-6)) << S;
  }
}

// Grades exercise 2.9.
TEST(LatentAttention, RefusesShapesThatDoNotFit) {
  // Oracle: the header.
  const LatentWeights w = random_weights();
  const Matrix q = random_matrix(1, 30, 9);
  for (const auto& attention : {expanded_attention, absorbed_attention}) {
    EXPECT_THROW(attention(w, random_cache(0), q), std::invalid_argument);
    EXPECT_THROW(attention(w, random_cache(2), random_matrix(1, 29)), std::invalid_argument);
  }
}

}  // namespace
}  // namespace waitless
