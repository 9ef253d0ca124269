#include "sliding_window.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "01_naive_generation/forward.h"
#include "common/testing/compare.h"
#include "common/testing/random_model.h"

namespace waitless {
namespace {

// Grades exercise 2.8.
TEST(WindowSlot, KeepsTheSinksAndGoesRound) {
  // Oracle: by hand. 2 sinks, a window of 3: slots 0 1 | 2 3 4 2 3 4 ...
  const SlidingWindow window{.n_sinks = 2, .window = 3};
  const std::vector<int> expected = {0, 1, 2, 3, 4, 2, 3, 4, 2};
  for (int position = 0; position < 9; ++position) EXPECT_EQ(window_slot(window, position), expected[position]);
  EXPECT_EQ(window_slot({.n_sinks = 0, .window = 1}, 7), 0);
  EXPECT_EQ(window_slot({.n_sinks = 4, .window = 1}, 2000000000), 4);
  EXPECT_THROW(window_slot(window, -1), std::invalid_argument);
  EXPECT_THROW(window_slot({.n_sinks = -1, .window = 3}, 0), std::invalid_argument);
  EXPECT_THROW(window_slot({.n_sinks = 0, .window = 0}, 0), std::invalid_argument);
}

/// Full attention over all tokens, masked to the window, one head after the other.
void masked_attention(const Config& c, const SlidingWindow& window, const ConstMatrixRef& q, const ConstMatrixRef& k,
                      const ConstMatrixRef& v, MatrixRef out) {
  const Index D = c.head_dim;
  for (Index h = 0; h < c.n_heads; ++h) {
    const Index kv = h / (c.n_heads / c.n_kv_heads) * D;
    Matrix scores = q.middleCols(h * D, D) * k.middleCols(kv, D).transpose() / std::sqrt(float(D));
    for (Index t = 0; t < scores.rows(); ++t) {
      for (Index s = 0; s < scores.cols(); ++s) {
        const bool is_seen = s <= t && (s < window.n_sinks || s > t - window.window);
        scores(t, s) = is_seen ? std::exp(scores(t, s)) : 0.0f;
      }
      scores.row(t) /= scores.row(t).sum();
    }
    out.middleCols(h * D, D) = scores * v.middleCols(kv, D);
  }
}

// Grades exercise 2.8.
TEST(WindowedStep, IsFullAttentionUnderTheMaskOfTheWindow) {
  // Oracle: the naive pass with a masked attention, for texts much longer than the cache.
  const Model model = random_model(small_config());
  for (const SlidingWindow window : {SlidingWindow{0, 5}, {2, 5}, {4, 1}, {1, 40}}) {
    Ops ops = naive_ops(model.config);
    ops.attention = [&](int, const auto& q, const auto& k, const auto& v, const Batch&, MatrixRef out) {
      masked_attention(model.config, window, q, k, v, out);
    };
    Workspace workspace;
    std::vector<int> tokens;
    CachedDecoder decoder(model, window.capacity());
    for (int position = 0; position < 30; ++position) {
      tokens.push_back((position * 17 + 3) % model.config.vocab_size);
      Matrix expected(1, model.config.vocab_size);
      forward(model, tokens, Batch::causal(0, 0, position + 1), ops, workspace, expected);
      windowed_step(decoder, window, position, tokens.back());
      EXPECT_TRUE(near(expected, decoder.logits, 2e-5))
          << window.n_sinks << " sinks, window " << window.window << ", position " << position;
    }
    EXPECT_EQ(decoder.cache.n_used(), std::min(30, window.capacity()));
  }
}

}  // namespace
}  // namespace waitless
