#include "sliding_window.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "01_naive_generation/forward.h"
#include "common/testing/compare.h"
#include "common/testing/random_model.h"

namespace waitless {
namespace {

// Grades exercise 2.10.
TEST(EvictedPosition, IsTheOneThatFallsOutOfTheWindow) {
  // Oracle: by hand. 2 sinks, a window of 3: position 5 pushes out 2, the first that is no sink.
  const SlidingWindow window{.n_sinks = 2, .window = 3};
  const std::vector<int> expected = {-1, -1, -1, -1, -1, 2, 3, 4, 5};
  for (int position = 0; position < 9; ++position) EXPECT_EQ(evicted_position(window, position), expected[position]);
  EXPECT_EQ(evicted_position({.n_sinks = 0, .window = 1}, 7), 6);
  EXPECT_EQ(evicted_position({.n_sinks = 4, .window = 1}, 2000000000), 1999999999);
  EXPECT_THROW(evicted_position(window, -1), std::invalid_argument);
  EXPECT_THROW(evicted_position({.n_sinks = -1, .window = 3}, 0), std::invalid_argument);
  EXPECT_THROW(evicted_position({.n_sinks = 0, .window = 0}, 0), std::invalid_argument);
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

// Grades exercise 2.10.
TEST(WindowedStep, IsFullAttentionUnderTheMaskOfTheWindow) {
  // Oracle: the naive pass with a masked attention, for texts much longer than the cache.
  const Model model = random_model(small_config());
  for (const SlidingWindow window : {SlidingWindow{0, 5}, {2, 5}, {4, 1}, {1, 40}}) {
    Ops ops = naive_ops();
    ops.attention = [&](const Config&, int, const auto& q, const auto& k, const auto& v, const Batch&, MatrixRef out) {
      masked_attention(model.config, window, q, k, v, out);
    };
    Workspace workspace;
    std::vector<int> tokens;
    CachedDecoder decoder(model, window.capacity());
    for (int position = 0; position < 30; ++position) {
      tokens.push_back((position * 17 + 3) % model.config.vocab_size);
      Matrix expected(1, model.config.vocab_size);
      forward(model, Batch::causal(0, 0, tokens), ops, workspace, expected);
      windowed_step(decoder, window, tokens.back());
      EXPECT_TRUE(near(expected, decoder.logits, 2e-5))
          << window.n_sinks << " sinks, window " << window.window << ", position " << position;
    }
    EXPECT_EQ(decoder.cache.slots.n_stored(0), std::min(30, window.capacity()));
  }
}

}  // namespace
}  // namespace waitless
