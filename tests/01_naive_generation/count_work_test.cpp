#include "count_work.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/testing/random_model.h"
#include "forward.h"

namespace waitless {
namespace {

/// The shape of SmolLM2-135M.
Config smollm2_config() {
  Config c;
  c.vocab_size = 49152;
  c.n_layers = 30;
  c.n_heads = 9;
  c.n_kv_heads = 3;
  c.head_dim = 64;
  c.d_model = 576;
  c.d_ff = 1536;
  return c;
}

// Grades exercise 1.10.
TEST(CountForward, OfSmolLm2IsTheHandComputedNumber) {
  // Oracle: by hand, for one row:
  //   a layer's matrices: 576*576*2 + 576*192*2 + 3*576*1536 = 3,538,944 weights, two operations each;
  //   attention: 1 pair, 4 * 576; output: 2 * 576 * 49152.
  const Work one = count_forward(smollm2_config(), 1, 1);
  EXPECT_EQ(one.token_positions, 1);
  EXPECT_EQ(one.flops, 30 * (2LL * 3538944 + 4 * 576) + 2LL * 576 * 49152);
  EXPECT_EQ(count_forward(smollm2_config(), 1, 0).flops, 30 * (2LL * 3538944 + 4 * 576)) << "no logits were asked for";
  EXPECT_EQ(count_forward(smollm2_config(), 3, 3).flops - count_forward(smollm2_config(), 3, 0).flops,
            3 * 2LL * 576 * 49152);
}

// Grades exercise 1.10.
TEST(CountForward, MatchesWhatThePassDoes) {
  // Oracle: counting at the seams of a real pass.
  const Model model = random_model(small_config());
  const Config& c = model.config;
  for (int T : {1, 2, 7}) {
    std::int64_t flops = 0;
    Ops ops;
    ops.linear = [&](const Weight& w, const ConstMatrixRef& x, MatrixRef out) {
      flops += 2 * x.rows() * w.rows * w.cols;
      out.setConstant(0.5f);
    };
    ops.attention = [&](int, const auto&, const auto&, const auto&, const Batch& batch, MatrixRef out) {
      for (int t = 0; t < batch.n_rows(); ++t) {
        for (int s = 0; s < batch.n_rows(); ++s) flops += batch.sees(t, s) ? 4 * c.q_dim() : 0;
      }
      out.setConstant(0.5f);
    };
    Workspace workspace;
    Matrix logits(1, c.vocab_size);
    forward(model, std::vector<int>(T, 1), Batch::causal(0, 0, T), ops, workspace, logits);
    EXPECT_EQ(count_forward(c, T, 1).flops, flops) << T << " tokens";
  }
}

// Grades exercise 1.10.
TEST(CountWork, AddsUpOnePassForEachToken) {
  // Oracle: by hand. 3 tokens after a prompt of 5: 5 + 6 + 7 positions.
  const Config c = smollm2_config();
  const Work work = count_work(c, 5, 3);
  EXPECT_EQ(work.token_positions, 18);
  EXPECT_EQ(work.flops, count_forward(c, 5, 1).flops + count_forward(c, 6, 1).flops + count_forward(c, 7, 1).flops);
}

// Grades exercise 1.10.
TEST(CountWork, DoesNotOverflowOnLongTexts) {
  // Oracle: the sums in closed form, over passes of a = 1000 ... b = 7999 rows. The FLOPs of one pass already need more
  // than 32 bits.
  const std::int64_t a = 1000, b = 7999, n = b - a + 1;
  const std::int64_t positions = n * (a + b) / 2;
  const std::int64_t pairs = (b * (b + 1) * (b + 2) - (a - 1) * a * (a + 1)) / 6;  // sum of T (T + 1) / 2
  const Work work = count_work(smollm2_config(), int(a), int(n));
  EXPECT_EQ(work.token_positions, positions);
  EXPECT_EQ(work.flops, 30 * (2 * positions * 3538944 + 4 * pairs * 576) + n * 2 * 576 * 49152);
}

// Grades exercise 1.10.
TEST(CountWork, IsZeroForNothingAndRefusesNonsense) {
  // Oracle: the header.
  EXPECT_EQ(count_work(smollm2_config(), 5, 0).flops, 0);
  EXPECT_THROW(count_work(smollm2_config(), 0, 3), std::invalid_argument);
  EXPECT_THROW(count_work(smollm2_config(), 3, -1), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
