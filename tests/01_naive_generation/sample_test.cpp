#include "sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace waitless {
namespace {

// Probabilities .4, .3, .2, .1 in this order of ids: 1, 3, 0, 2.
const std::vector<float> kLogits = {std::log(0.2f), std::log(0.4f), std::log(0.1f), std::log(0.3f)};

std::vector<float> distribution_of(const std::vector<float>& logits, const SamplingOptions& options) {
  std::vector<float> p(logits.size(), 99.0f);
  sampling_distribution(logits, options, p);
  return p;
}

void expect_distribution(const std::vector<float>& expected, const std::vector<float>& got, const char* hint = "") {
  ASSERT_EQ(expected.size(), got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(std::abs(expected[i] - got[i]) <= 1e-6f)
        << "token " << i << ": expected probability " << expected[i] << ", got " << got[i] << ". " << hint;
  }
}

// Grades exercise 1.8.
TEST(SamplingDistribution, AtTemperatureOneIsTheSoftmax) {
  // Oracle: by hand.
  expect_distribution({0.2f, 0.4f, 0.1f, 0.3f}, distribution_of(kLogits, {.temperature = 1.0f}));
}

// Grades exercise 1.8.
TEST(SamplingDistribution, AtTemperatureZeroIsTheFirstOfTheMostLikely) {
  // Oracle: the header. No division by zero, ties go to the lower id.
  expect_distribution({0, 1, 0, 0}, distribution_of(kLogits, {.temperature = 0.0f}));
  expect_distribution({0, 1, 0, 0}, distribution_of({1.0f, 5.0f, -2.0f, 5.0f}, {.temperature = 0.0f}));
}

// Grades exercise 1.8.
TEST(SamplingDistribution, DividesByTheTemperature) {
  // Oracle: by hand. Temperature 1/2 squares the odds: .04 .16 .01 .09 over .30.
  expect_distribution({0.04f / 0.3f, 0.16f / 0.3f, 0.01f / 0.3f, 0.09f / 0.3f},
                      distribution_of(kLogits, {.temperature = 0.5f}));
}

// Grades exercise 1.8.
TEST(SamplingDistribution, KeepsTheTopKAndRescales) {
  // Oracle: by hand. k = 1 is greedy, k >= V is the identity.
  expect_distribution({0, 4 / 7.0f, 0, 3 / 7.0f}, distribution_of(kLogits, {.temperature = 1.0f, .top_k = 2}));
  expect_distribution({0, 1, 0, 0}, distribution_of(kLogits, {.temperature = 1.0f, .top_k = 1}));
  expect_distribution({0.2f, 0.4f, 0.1f, 0.3f}, distribution_of(kLogits, {.temperature = 1.0f, .top_k = 9}));
}

// Grades exercise 1.8.
TEST(SamplingDistribution, KeepsTheTokenThatCrossesP) {
  // Oracle: by hand. .4 + .3 = .7 >= .6: two tokens; .4 >= .35: one.
  expect_distribution({0, 4 / 7.0f, 0, 3 / 7.0f}, distribution_of(kLogits, {.temperature = 1.0f, .top_p = 0.6f}),
                      "(the token that crosses p stays)");
  expect_distribution({0, 1, 0, 0}, distribution_of(kLogits, {.temperature = 1.0f, .top_p = 0.35f}));
  expect_distribution({0, 1, 0, 0}, distribution_of(kLogits, {.temperature = 1.0f, .top_p = 1e-6f}));
}

// Grades exercise 1.8.
TEST(SamplingDistribution, AppliesTheStepsInOrder) {
  // Oracle: by hand. At temperature 1/2 the top three are .16 .09 .04 of .29: the first alone reaches .55 of them. If
  // top p came before the temperature (.4 < .55) or before top k's rescaling (.16/.30 < .55), two tokens would stay.
  expect_distribution({0, 1, 0, 0}, distribution_of(kLogits, {.temperature = 0.5f, .top_k = 3, .top_p = 0.55f}),
                      "(temperature, then top k, then top p of what is left)");
}

// Grades exercise 1.8.
TEST(SamplingDistribution, ResolvesTiesByTheLowerId) {
  // Oracle: the header.
  expect_distribution({0.5f, 0.5f, 0, 0}, distribution_of({1, 1, 1, 1}, {.temperature = 1.0f, .top_k = 2}));
  expect_distribution({0.5f, 0.5f, 0, 0}, distribution_of({1, 1, 1, 1}, {.temperature = 1.0f, .top_p = 0.5f}));
  expect_distribution({1, 0, 0, 0}, distribution_of({1, 1, 1, 0}, {.temperature = 1.0f, .top_k = 2, .top_p = 0.45f}),
                      "(the third of the equal tokens does not count once top k has dropped it)");
  std::vector<float> first_two(300, 0.0f);
  first_two[0] = first_two[1] = 0.5f;
  expect_distribution(first_two, distribution_of(std::vector<float>(300, 1.0f), {.temperature = 1.0f, .top_k = 2}),
                      "(std::sort may exchange equal elements)");
}

// Grades exercise 1.8.
TEST(SamplingDistribution, NeverGivesAForbiddenTokenAChance) {
  // Oracle: by hand. A logit of -infinity (a masked token) keeps probability 0.
  const float forbidden = -std::numeric_limits<float>::infinity();
  expect_distribution({0.5f, 0, 0.5f}, distribution_of({2.0f, forbidden, 2.0f}, {.temperature = 1.0f}));
}

// Grades exercise 1.8.
TEST(SamplingDistribution, RefusesBadArguments) {
  // Oracle: the header.
  std::vector<float> p(4), three(3);
  const auto refuses = [&](SamplingOptions options) {
    EXPECT_THROW(sampling_distribution(kLogits, options, p), std::invalid_argument);
  };
  refuses({.temperature = -1.0f});
  refuses({.temperature = std::nanf("")});
  refuses({.temperature = std::numeric_limits<float>::infinity()});
  refuses({.temperature = 1.0f, .top_k = -1});
  refuses({.temperature = 1.0f, .top_p = 0.0f});
  refuses({.temperature = 1.0f, .top_p = 1.5f});
  EXPECT_THROW(sampling_distribution(kLogits, {}, three), std::invalid_argument);
  EXPECT_THROW(sampling_distribution(std::vector<float>{1.0f, std::nanf("")}, {}, std::span(p).first(2)),
               std::invalid_argument);
  EXPECT_THROW(sampling_distribution({}, {}, {}), std::invalid_argument);
}

// Grades exercise 1.8.
TEST(Sample, InvertsTheCumulativeSumOfItsDraw) {
  // Oracle: exact. For each seed the draw is known, and with it the token: cumulative sums .2 .6 .7 1 in order of ids.
  std::vector<float> p(4);
  std::vector<int> seen(4, 0);
  for (std::uint64_t seed = 1; seed <= 64; ++seed) {
    const double u = Random(seed).uniform();
    const int expected = u < 0.2 ? 0 : u < 0.6 ? 1 : u < 0.7 ? 2 : 3;
    Random random(seed);
    EXPECT_EQ(sample(kLogits, {.temperature = 1.0f}, random, p), expected) << "at the draw " << u;
    ++seen[expected];
  }
  for (int token = 0; token < 4; ++token) EXPECT_GT(seen[token], 0) << "the seeds never chose token " << token;
  expect_distribution({0.2f, 0.4f, 0.1f, 0.3f}, p, "(the distribution that was drawn from)");
}

// Grades exercise 1.8.
TEST(Sample, TakesOneDrawForEachToken) {
  // Oracle: counting. Whatever the options, the second token uses the second draw.
  std::vector<float> p(4);
  for (const SamplingOptions& options : {SamplingOptions{.temperature = 1.0f}, SamplingOptions{.temperature = 0.0f},
                                         SamplingOptions{.temperature = 1.0f, .top_k = 2, .top_p = 0.9f}}) {
    Random random(5), reference(5);
    sample(kLogits, options, random, p);
    reference.uniform();
    EXPECT_EQ(random.uniform(), reference.uniform());
  }
}

// Grades exercise 1.8.
TEST(Sample, NeverReturnsAnImpossibleToken) {
  // Oracle: the header. Ids 0 and 2 are filtered out, and 300 draws meet values near 0 and near 1.
  std::vector<float> p(4);
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const int token = sample(kLogits, {.temperature = 1.0f, .top_k = 2}, random, p);
    EXPECT_TRUE(token == 1 || token == 3) << token;
  }
}

}  // namespace
}  // namespace waitless
