#include "cache_validity.h"

#include <gtest/gtest.h>

#include <cmath>
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

// Grades exercise 2.8.
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

// Grades exercise 2.8.
TEST(ChangedCacheRows, AreAllAboveLayerZeroInABidirectionalModel) {
  // Oracle: the mask.
  const Matrix changed = experiment(Batch::bidirectional_block(0, 0, kTokens));
  for (int layer = 0; layer < 3; ++layer) {
    for (int t = 0; t < kTokens; ++t) {
      EXPECT_EQ(changed(layer, t) != 0, layer > 0 || t == kReplaced) << "layer " << layer << ", token " << t;
    }
  }
}

// Grades exercise 2.8.
TEST(ChangedCacheRows, AreThePrefixAndWhatFollowsInAPrefixModel) {
  // Oracle: the mask. With a prefix of 6, token 4 reaches all of it and everything behind; with a prefix of 3 it does
  // not reach back.
  const Matrix inside = experiment(Batch::prefix_causal(0, 0, kTokens, 6));
  const Matrix behind = experiment(Batch::prefix_causal(0, 0, kTokens, 3));
  for (int t = 0; t < kTokens; ++t) {
    EXPECT_EQ(inside(2, t) != 0, true) << "token " << t;
    EXPECT_EQ(behind(2, t) != 0, t >= kReplaced) << "token " << t;
  }
}

// Grades exercise 2.8.
TEST(ChangedCacheRows, MeasureTheChangeRelativeToTheRow) {
  // Oracle: double precision. In layer 0 key and value are projections of the normed embedding, and at position 0 RoPE
  // turns nothing.
  const Model model = random_model(three_layers());
  const auto key_and_value = [&](int token) {
    const Eigen::RowVectorXd x = model.token_embedding.f32().row(token).cast<double>();
    const Eigen::RowVectorXd gain = model.layers[0].attention_norm.f32().row(0).cast<double>();
    const Eigen::RowVectorXd normed =
        x.cwiseProduct(gain) / std::sqrt(x.squaredNorm() / double(x.size()) + double(model.config.norm_eps));
    Eigen::RowVectorXd row(2 * model.config.kv_dim());
    row << normed * model.layers[0].key.f32().cast<double>().transpose(),
        normed * model.layers[0].value.f32().cast<double>().transpose();
    return row;
  };
  const Eigen::RowVectorXd before = key_and_value(3), after = key_and_value(21);
  const Matrix changed = changed_cache_rows(model, std::vector<int>{3, 20}, Batch::causal(0, 0, 2), 0, 21);
  EXPECT_NEAR(changed(0, 0), (after - before).norm() / before.norm(), 1e-5);
}

// Grades exercise 2.8.
TEST(ChangedCacheRows, OfARowWithoutLengthAreExactlyZeroIfItStaysSo) {
  // Oracle: the header. Token 3 has an embedding of zeros, so its key and value are zeros; another token is replaced.
  Model model = random_model(three_layers());
  Matrix embedding = model.token_embedding.f32();
  embedding.row(3).setZero();
  model.token_embedding = make_weight(embedding, WeightRole::kTokenEmbedding);
  const Matrix changed = changed_cache_rows(model, std::vector<int>{3, 20}, Batch::causal(0, 0, 2), 1, 21);
  EXPECT_EQ(changed(0, 0), 0.0f);
  EXPECT_TRUE(is_cache_valid(changed, 1));
}

// Grades exercise 2.8.
TEST(IsCacheValid, OnlyIfNothingBeforeTheTokenChanges) {
  // Oracle: the mask, and by hand.
  EXPECT_TRUE(is_cache_valid(experiment(Batch::causal(0, 0, kTokens)), kReplaced));
  EXPECT_TRUE(is_cache_valid(experiment(Batch::prefix_causal(0, 0, kTokens, 3)), kReplaced));
  EXPECT_FALSE(is_cache_valid(experiment(Batch::prefix_causal(0, 0, kTokens, 6)), kReplaced));
  EXPECT_FALSE(is_cache_valid(experiment(Batch::bidirectional_block(0, 0, kTokens)), kReplaced));
  const Matrix changed{{0, 0, 1}, {0, 1, 1}};
  EXPECT_FALSE(is_cache_valid(changed, 2)) << "the last layer counts";
  EXPECT_FALSE(is_cache_valid(Matrix{{0, 1, 1}, {0, 0, 1}}, 2)) << "so does the first";
  EXPECT_TRUE(is_cache_valid(changed, 1)) << "the token itself does not";
  EXPECT_TRUE(is_cache_valid(changed, 0));
  EXPECT_FALSE(is_cache_valid(Matrix{{0, 1e-7f, 1}, {0, 0, 1}}, 2)) << "one bit is a change";
}

// Grades exercise 2.8.
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
