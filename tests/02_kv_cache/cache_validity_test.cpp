#include "cache_validity.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/testing/random_model.h"

namespace waitless {
namespace {

constexpr int kTokens = 8, kReplaced = 4, kOther = 33;

Config three_layers() {
  Config config = small_config();
  config.n_layers = 3;
  return config;
}

Matrix experiment(const Batch& batch, int j = kReplaced) {
  const std::vector<int> tokens = {3, 20, 37, 4, 21, 38, 5, 22};
  return changed_cache_rows(random_model(three_layers()), tokens, batch, j, kOther);
}

// Grades exercise 2.6.
TEST(ChangedCacheRows, AreNoneBeforeTheTokenInACausalModel) {
  // Oracle: the mask. Layer 0 sees only the token itself; above it everything from the token on has heard of it.
  const Matrix changed = experiment(Batch::causal(0, 0, kTokens));
  ASSERT_EQ(changed.rows(), 3);
  ASSERT_EQ(changed.cols(), kTokens);
  for (int layer = 0; layer < 3; ++layer) {
    for (int t = 0; t < kTokens; ++t) {
      const bool is_reached = layer == 0 ? t == kReplaced : t >= kReplaced;
      EXPECT_EQ(changed(layer, t) != 0, is_reached) << "layer " << layer << ", token " << t;
    }
  }
}

// Grades exercise 2.6.
TEST(ChangedCacheRows, AreAllAboveLayerZeroInABidirectionalModel) {
  // Oracle: the mask.
  const Matrix changed = experiment(Batch::bidirectional_block(0, 0, kTokens));
  for (int layer = 0; layer < 3; ++layer) {
    for (int t = 0; t < kTokens; ++t) {
      EXPECT_EQ(changed(layer, t) != 0, layer > 0 || t == kReplaced) << "layer " << layer << ", token " << t;
    }
  }
}

// Grades exercise 2.6.
TEST(ChangedCacheRows, AreThePrefixAndWhatFollowsInAPrefixModel) {
  // Oracle: the mask. With a prefix of 6, token 4 reaches all of it and everything behind; with a prefix of 3 it does not
  // reach back.
  const Matrix inside = experiment(Batch::prefix_causal(0, 0, kTokens, 6));
  const Matrix behind = experiment(Batch::prefix_causal(0, 0, kTokens, 3));
  for (int t = 0; t < kTokens; ++t) {
    EXPECT_EQ(inside(2, t) != 0, true) << "token " << t;
    EXPECT_EQ(behind(2, t) != 0, t >= kReplaced) << "token " << t;
  }
}

// Grades exercise 2.6.
TEST(ChangedCacheRows, MeasureTheChangeRelativeToTheRow) {
  // Oracle: layer 0 by hand: keys and values of a token are projections of its normed embedding alone, so exchanging the
  // tokens exchanges the rows, and the difference is the same seen from both sides.
  const Model model = random_model(three_layers());
  const std::vector<int> one = {3, 20}, other = {3, 21};
  const Batch batch = Batch::causal(0, 0, 2);
  const Matrix there = changed_cache_rows(model, one, batch, 1, 21), back = changed_cache_rows(model, other, batch, 1, 20);
  EXPECT_GT(there(0, 1), 0.0f);
  EXPECT_LT(there(0, 1), 10.0f);
  EXPECT_GT(back(0, 1), 0.0f);
  EXPECT_EQ(there(0, 0), 0.0f);
  // |a - b| / |a| and |a - b| / |b| lie within a factor |a| / |b| <= 1 + |a - b| / |b| of each other.
  EXPECT_LE(there(0, 1), back(0, 1) * (1 + there(0, 1)) * 1.0001f);
  EXPECT_LE(back(0, 1), there(0, 1) * (1 + back(0, 1)) * 1.0001f);
}

// Grades exercise 2.6.
TEST(IsCacheValid, OnlyIfNothingBeforeTheTokenChanges) {
  // Oracle: the mask, and by hand.
  EXPECT_TRUE(is_cache_valid(experiment(Batch::causal(0, 0, kTokens)), kReplaced));
  EXPECT_TRUE(is_cache_valid(experiment(Batch::prefix_causal(0, 0, kTokens, 3)), kReplaced));
  EXPECT_FALSE(is_cache_valid(experiment(Batch::prefix_causal(0, 0, kTokens, 6)), kReplaced));
  EXPECT_FALSE(is_cache_valid(experiment(Batch::bidirectional_block(0, 0, kTokens)), kReplaced));
  const Matrix changed{{0, 0, 1}, {0, 1, 1}};
  EXPECT_FALSE(is_cache_valid(changed, 2)) << "the last layer counts";
  EXPECT_TRUE(is_cache_valid(changed, 1)) << "the token itself does not";
  EXPECT_TRUE(is_cache_valid(changed, 0));
}

// Grades exercise 2.6.
TEST(ChangedCacheRows, RefuseArgumentsThatDoNotFit) {
  // Oracle: the header.
  const Model model = random_model(three_layers());
  const Batch batch = Batch::causal(0, 0, 2);
  const std::vector<int> tokens = {3, 20};
  EXPECT_THROW(changed_cache_rows(model, tokens, Batch::causal(0, 0, 3), 1, 5), std::invalid_argument);
  EXPECT_THROW(changed_cache_rows(model, tokens, batch, 2, 5), std::invalid_argument);
  EXPECT_THROW(changed_cache_rows(model, tokens, batch, -1, 5), std::invalid_argument);
  EXPECT_THROW(changed_cache_rows(model, tokens, batch, 1, 20), std::invalid_argument);
}

// Guards the picture.
TEST(CachePicture, HasALineForEachLayerAndASignForEachToken) {
  // Oracle: by hand.
  EXPECT_EQ(cache_picture(Matrix{{0, 0, 1}, {0, 0.5f, 1}}), "layer  tokens 0 .. 2\n    0  ..#\n    1  .##\n");
}

}  // namespace
}  // namespace waitless
