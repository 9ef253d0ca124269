#include "perplexity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "01_naive_generation/forward.h"
#include "common/testing/random_model.h"

namespace waitless {
namespace {

TEST(Perplexity, OfAModelThatKnowsNothingIsItsVocabulary) {
  // Oracle: by hand. All logits 0: each token has probability 1 / 50.
  Model model = random_model(small_config());
  model.output = make_weight(Matrix::Zero(50, model.config.d_model));
  EXPECT_NEAR(perplexity(model, std::vector<int>(30, 7), 10), 50.0, 1e-6);
}

TEST(Perplexity, MatchesOneTokenAtATimeInDouble) {
  // Oracle: double precision. Two windows of four tokens; the ninth token is left out.
  const Model model = random_model(small_config());
  const std::vector<int> tokens = {3, 1, 4, 15, 9, 2, 6, 5, 49};
  double surprise = 0;
  for (const int start : {0, 4}) {
    for (int n = 1; n < 4; ++n) {
      Workspace workspace;
      Matrix logits(1, 50);
      forward(model, Batch::causal(0, 0, std::span(tokens).subspan(start, n)), naive_ops(), workspace, logits);
      const Eigen::ArrayXXd powers = logits.cast<double>().array().exp();
      surprise -= std::log(powers(0, tokens[start + n]) / powers.sum());
    }
  }
  EXPECT_NEAR(perplexity(model, tokens, 4), std::exp(surprise / 6), 1e-4);
}

TEST(Perplexity, RefusesWindowsWithoutAPrediction) {
  // Oracle: the header.
  const Model model = random_model(small_config());
  EXPECT_THROW(perplexity(model, std::vector<int>(10, 1), 1), std::invalid_argument);
  EXPECT_THROW(perplexity(model, std::vector<int>(10, 1), 11), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
