#include "operator_mistakes.h"

#include <gtest/gtest.h>

#include "common/testing/random_model.h"
#include "oracles.h"

namespace waitless {
namespace {

/// Feeds the numbers of each mistake to the comparison, rounded to float, which must name it and no other.
void expect_each_is_told(const RowMajorXd& expected, const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    if (mistake.tolerance > 0) continue;  // its numbers are the right ones, nearly
    const Matrix got = mistake.result.cast<float>();
    const testing::AssertionResult result = matches(expected, got, 3e-6, mistakes);
    EXPECT_FALSE(result) << mistake.description << ": the numbers are right";
    const std::string end = "These are the numbers that come out if " + mistake.description + ".";
    EXPECT_NE(std::string(result.message()).find(end), std::string::npos) << result.message() << "\nlacks: " << end;
  }
}

// Guards the messages of exercises 1.2 and C1.2.
TEST(OperatorMistakes, OfRmsNormAreToldApart) {
  // Oracle: the definition of each mistake.
  Matrix x = random_matrix(3, 70, 3);
  for (int t = 0; t < 3; ++t) x.row(t) *= float(t + 1);
  const Matrix gain = random_matrix(1, 70, 4);
  const RowMajorXd expected = oracle::rms_norm(x.cast<double>(), gain.cast<double>(), 0.5);
  expect_each_is_told(expected, rms_norm_mistakes(x, gain, 0.5));
  expect_each_is_told(expected, rms_norm_warp_mistakes(x, gain, 0.5));
}

// Guards the messages of exercises 1.3 and C1.3.
TEST(OperatorMistakes, OfRopeAreToldApart) {
  // Oracle: the definition of each mistake; and cosines of an angle in float.
  const Matrix x = random_matrix(3, 24);
  const std::vector<int> position = {257, 514, 7710};
  const RopeParameters parameters{.base = 500000.0f, .position_scale = 2.5f};
  const std::vector<Mistake> mistakes = rope_mistakes(x, position, 8, parameters);
  const RowMajorXd expected = oracle::rope(x.cast<double>(), position, 8, 500000, 2.5);
  expect_each_is_told(expected, mistakes);

  Matrix rounded = x;
  for (int t = 0; t < 3; ++t) {
    for (int c = 0; c < 24; c += 2) {
      const float angle = float(position[t]) / 2.5f * std::pow(500000.0f, -float(c % 8) / 8);
      rounded(t, c) = x(t, c) * std::cos(angle) - x(t, c + 1) * std::sin(angle);
      rounded(t, c + 1) = x(t, c) * std::sin(angle) + x(t, c + 1) * std::cos(angle);
    }
  }
  const std::string message = matches(expected, rounded, 2e-6, mistakes).message();
  EXPECT_NE(message.find("the angle is rounded to a float"), message.npos) << message;
}

// Guards the messages of exercises 1.4 and C1.4.
TEST(OperatorMistakes, OfLinearAreToldApart) {
  // Oracle: the definition of each mistake.
  const Matrix w = random_matrix(8, 8, 1), x = random_matrix(3, 8, 2);
  expect_each_is_told(x.cast<double>() * w.cast<double>().transpose(), linear_mistakes(w, x, 7));
}

// Guards the messages of exercises 1.6 and C1.6.
TEST(OperatorMistakes, OfSwigluAreToldApart) {
  // Oracle: the definition of each mistake.
  const Matrix gate = random_matrix(3, 9, 1) * 4, up = random_matrix(3, 9, 2) * 4;
  expect_each_is_told(oracle::swiglu(gate.cast<double>(), up.cast<double>()), swiglu_mistakes(gate, up));
}

// Guards the messages of exercise C1.5.
TEST(OperatorMistakes, OfAttentionAreToldApart) {
  // Oracle: the definition of each mistake.
  Config config;
  config.n_heads = 6;
  config.n_kv_heads = 2;
  config.head_dim = 8;
  const Matrix q = random_matrix(9, 48, 1) * 3, k = random_matrix(9, 16, 2), v = random_matrix(9, 16, 3);
  const RowMajorXd expected =
      oracle::attention(config, q.cast<double>(), k.cast<double>(), v.cast<double>(), Batch::causal(0, 0, 9));
  expect_each_is_told(expected, attention_mistakes(config, q, k, v));
}

}  // namespace
}  // namespace waitless
