#include "count_work.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/testing/random_model.h"

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

// Grades exercise 1.12.
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

// Grades exercise 1.12.
TEST(CountForward, CountsThePairsThatTheMaskShows) {
  // Oracle: by hand. Of three rows the first sees one key, the second two, the third three: 6 pairs.
  const std::int64_t matrices = 3 * 30 * 2LL * 3538944, a_pair = 30 * 4 * 576;
  const std::int64_t pairs = (count_forward(smollm2_config(), 3, 0).flops - matrices) / a_pair;
  EXPECT_EQ(pairs, 6) << "pairs of a query and a key for 3 rows"
                      << (pairs == 9 ? ": the hidden ones do not count" : "");
  EXPECT_EQ(count_forward(smollm2_config(), 0, 0).flops, 0) << "no rows";
}

// Grades exercise 1.12.
TEST(CountForward, MatchesTheWeightsOfAModelOneByOne) {
  // Oracle: counting, with plain loops: each weight of each layer, each pair that the mask shows.
  const Model model = random_model(small_config());
  const Config& c = model.config;
  for (int T : {1, 2, 7}) {
    std::int64_t flops = 2 * model.output.rows * model.output.cols;  // one row of logits
    for (const Layer& layer : model.layers) {
      for (const Weight* w :
           {&layer.query, &layer.key, &layer.value, &layer.attention_output, &layer.gate, &layer.up, &layer.down}) {
        flops += 2 * T * w->rows * w->cols;
      }
      for (int t = 0; t < T; ++t) {
        for (int s = 0; s <= t; ++s) flops += c.n_heads * (2 * c.head_dim + 2 * c.head_dim);
      }
    }
    EXPECT_EQ(count_forward(c, T, 1).flops, flops) << T << " rows";
  }
}

// Grades exercise 1.12.
TEST(CountWork, AddsUpOnePassForEachToken) {
  // Oracle: by hand. 3 tokens after a prompt of 5: 5 + 6 + 7 positions.
  const Config c = smollm2_config();
  const Work work = count_work(c, 5, 3);
  EXPECT_EQ(work.token_positions, 18);
  EXPECT_EQ(work.flops, count_forward(c, 5, 1).flops + count_forward(c, 6, 1).flops + count_forward(c, 7, 1).flops);
}

// Grades exercise 1.12.
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

// Grades exercise 1.12.
TEST(CountWork, IsZeroForNothingAndRefusesNonsense) {
  // Oracle: the header.
  EXPECT_EQ(count_work(smollm2_config(), 5, 0).flops, 0);
  EXPECT_THROW(count_work(smollm2_config(), 0, 3), std::invalid_argument);
  EXPECT_THROW(count_work(smollm2_config(), 3, -1), std::invalid_argument);
  EXPECT_THROW(count_forward(smollm2_config(), -1, 0), std::invalid_argument);
  EXPECT_THROW(count_forward(smollm2_config(), 1, -1), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
