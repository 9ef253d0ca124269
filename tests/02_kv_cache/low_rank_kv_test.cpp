#include "low_rank_kv.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "01_naive_generation/forward.h"
#include "01_naive_generation/rms_norm.h"
#include "common/tensor/eigenvectors.h"
#include "common/testing/compare.h"
#include "common/testing/random_model.h"

namespace waitless {
namespace {

std::vector<int> some_tokens(int n) {
  std::vector<int> tokens(n);
  for (int t = 0; t < n; ++t) tokens[t] = (t * t + 3) % 50;
  return tokens;
}

/// [key; value] of a layer in double.
Eigen::MatrixXd kv_weights(const Layer& layer) {
  Eigen::MatrixXd weights(layer.key.rows + layer.value.rows, layer.key.cols);
  weights << layer.key.f32().cast<double>(), layer.value.f32().cast<double>();
  return weights;
}

/// In falling order.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& m) {
  return eigenvectors(m.transpose() * m).values.reverse().cwiseMax(0).cwiseSqrt();
}

/// How many singular values are more than 1e-5 of the highest.
Index rank_of(const Eigen::MatrixXd& m) {
  const Eigen::VectorXd values = singular_values(m);
  return (values.array() > 1e-5 * values[0]).count();
}

Matrix logits_of(const Model& model, std::span<const int> tokens) {
  const Batch batch = Batch::causal(0, 0, tokens);
  Workspace workspace;
  Matrix logits(1, model.config.vocab_size);
  forward(model, batch, naive_ops(), workspace, logits);
  return logits;
}

// Grades exercise 2.9.
TEST(LowRankKv, OfFullRankIsTheSameModel) {
  // Oracle: the model itself.
  const Model model = random_model(small_config());
  const std::vector<int> tokens = some_tokens(40);
  const Model same = with_low_rank_kv(model, tokens, 2 * int(model.config.kv_dim()));
  EXPECT_TRUE(near(logits_of(model, tokens), logits_of(same, tokens), 1e-4));
}

// Grades exercise 2.9.
TEST(LowRankKv, LosesAsLittleAsAnyLatentOfThisSizeCan) {
  // Oracle: Eckart and Young 1936. What any matrix of rank r must lose of keys and values is the root of the sum of the
  // squares of their singular values but the r highest. Layer 0, whose input does not depend on keys and values.
  const Model model = random_model(small_config());
  const std::vector<int> tokens = some_tokens(60);
  Matrix embedded(60, model.config.d_model), x(60, model.config.d_model);
  embed(model, Batch::causal(0, 0, tokens), embedded);
  rms_norm(embedded, model.layers[0].attention_norm.f32(), model.config.norm_eps, x);
  const Eigen::MatrixXd kv = x.cast<double>() * kv_weights(model.layers[0]).transpose();
  const Eigen::VectorXd singular = singular_values(kv);
  for (const int rank : {1, 5, 12, 19}) {
    const Eigen::MatrixXd weights = kv_weights(with_low_rank_kv(model, tokens, rank).layers[0]);
    const double lost = (kv - x.cast<double>() * weights.transpose()).norm();
    EXPECT_NEAR(lost, singular.tail(singular.size() - rank).norm(), 1e-4 * singular[0]) << "rank " << rank;
    EXPECT_EQ(rank_of(weights), rank);
  }
}

// Grades exercise 2.9.
TEST(LowRankKv, ChangesEveryLayersKeysAndValuesAndNothingElse) {
  // Oracle: the header.
  const Model model = random_model(small_config());
  const Model low_rank = with_low_rank_kv(model, some_tokens(40), 6);
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const Layer &before = model.layers[l], &after = low_rank.layers[l];
    EXPECT_EQ(rank_of(kv_weights(after)), 6) << "layer " << l;
    EXPECT_EQ(before.query.data, after.query.data);
    EXPECT_EQ(before.attention_output.data, after.attention_output.data);
    EXPECT_EQ(after.key.role, WeightRole::kKey);
    EXPECT_EQ(after.value.role, WeightRole::kValue);
    EXPECT_EQ(after.value.layer, int(l));
  }
}

// Grades exercise 2.9.
TEST(LowRankKv, RefusesRanksThatDoNotExist) {
  // Oracle: the header.
  const Model model = random_model(small_config());
  const std::vector<int> tokens = some_tokens(10);
  for (const int rank : {-1, 0, 2 * int(model.config.kv_dim()) + 1}) {
    EXPECT_THROW(with_low_rank_kv(model, tokens, rank), std::invalid_argument) << rank;
  }
  EXPECT_THROW(with_low_rank_kv(model, {}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
