#include "sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/testing/allocation_counter.h"
#include "common/testing/guarded.h"
#include "common/testing/mistakes.h"

namespace waitless {
namespace {

// Probabilities .4, .3, .2, .1 in this order of ids: 1, 3, 0, 2.
const std::vector<float> kLogits = {std::log(0.2f), std::log(0.4f), std::log(0.1f), std::log(0.3f)};

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Between guards: what is written in front of the distribution or behind it fails the test.
std::vector<float> distribution_of(const std::vector<float>& logits, const SamplingOptions& options) {
  Guarded p(1, Index(logits.size()));
  sampling_distribution(logits, options, p.row(0));
  return {p.row(0).begin(), p.row(0).end()};
}

/// @param mistakes distributions that come out of a mistake, with their names
void expect_distribution(const std::vector<float>& expected, const std::vector<float>& got,
                         const std::vector<std::pair<const char*, std::vector<float>>>& mistakes = {}) {
  std::vector<Mistake> made;
  for (const auto& [description, result] : mistakes) made.push_back({description, as_row(result)});
  EXPECT_TRUE(matches(as_row(expected), as_row(got), 1e-6, made)) << "row 0, and a column for each token";
}

/// How many tokens have a chance.
int n_possible(const std::vector<float>& distribution) {
  return int(std::count_if(distribution.begin(), distribution.end(), [](float p) { return p > 0; }));
}

// Grades exercise 1.10.
TEST(SamplingDistribution, AtTemperatureOneIsTheSoftmax) {
  // Oracle: by hand.
  expect_distribution({0.2f, 0.4f, 0.1f, 0.3f}, distribution_of(kLogits, {.temperature = 1.0f}));
}

// Grades exercise 1.10.
TEST(SamplingDistribution, AtTemperatureZeroIsTheFirstOfTheMostLikely) {
  // Oracle: the header. No division by zero, ties go to the lower id.
  expect_distribution({0, 1, 0, 0}, distribution_of(kLogits, {.temperature = 0.0f}));
  expect_distribution({0, 1, 0, 0}, distribution_of({1.0f, 5.0f, -2.0f, 5.0f}, {.temperature = 0.0f}));
}

// Grades exercise 1.10.
TEST(SamplingDistribution, DividesByTheTemperature) {
  // Oracle: by hand. Temperature 1/2 squares the odds: .04 .16 .01 .09 over .30.
  const float roots = std::sqrt(0.2f) + std::sqrt(0.4f) + std::sqrt(0.1f) + std::sqrt(0.3f);
  expect_distribution(
      {0.04f / 0.3f, 0.16f / 0.3f, 0.01f / 0.3f, 0.09f / 0.3f}, distribution_of(kLogits, {.temperature = 0.5f}),
      {{"the logits are multiplied by the temperature",
        {std::sqrt(0.2f) / roots, std::sqrt(0.4f) / roots, std::sqrt(0.1f) / roots, std::sqrt(0.3f) / roots}},
       {"the temperature is ignored", {0.2f, 0.4f, 0.1f, 0.3f}}});
}

// Grades exercise 1.10.
TEST(SamplingDistribution, KeepsTheTopKAndRescales) {
  // Oracle: by hand. k = 1 is greedy, k >= V is the identity.
  expect_distribution({0, 4 / 7.0f, 0, 3 / 7.0f}, distribution_of(kLogits, {.temperature = 1.0f, .top_k = 2}),
                      {{"what is kept is not scaled to sum 1", {0, 0.4f, 0, 0.3f}}});
  expect_distribution({0, 1, 0, 0}, distribution_of(kLogits, {.temperature = 1.0f, .top_k = 1}));
  expect_distribution({0.2f, 0.4f, 0.1f, 0.3f}, distribution_of(kLogits, {.temperature = 1.0f, .top_k = 9}));
}

// Grades exercise 1.10.
TEST(SamplingDistribution, KeepsTheTokenThatCrossesP) {
  // Oracle: by hand. .4 + .3 = .7 >= .6: two tokens; .4 >= .35: one.
  expect_distribution({0, 4 / 7.0f, 0, 3 / 7.0f}, distribution_of(kLogits, {.temperature = 1.0f, .top_p = 0.6f}),
                      {{"the token that crosses p is dropped", {0, 1, 0, 0}},
                       {"what is kept is not scaled to sum 1", {0, 0.4f, 0, 0.3f}}});
  expect_distribution({0, 1, 0, 0}, distribution_of(kLogits, {.temperature = 1.0f, .top_p = 0.35f}));
  expect_distribution({0, 1, 0, 0}, distribution_of(kLogits, {.temperature = 1.0f, .top_p = 1e-6f}));
}

// Grades exercise 1.10.
TEST(SamplingDistribution, CountsASumThatRoundingLeavesShortOfPAsReached) {
  // Oracle: by hand. Ten equal tokens of 1/10: three of them reach .3, six .6, and eight .8, although neither 1/10 nor
  // the sum is exact.
  for (int n = 1; n <= 9; ++n) {
    const std::vector<float> p =
        distribution_of(std::vector<float>(10, 1.5f), {.temperature = 1.0f, .top_p = float(n) / 10});
    EXPECT_EQ(n_possible(p), n) << "of ten equal tokens, with p = " << n << "/10";
  }
  EXPECT_EQ(n_possible(distribution_of(std::vector<float>(10, 1.5f), {.temperature = 1.0f, .top_p = 0.301f})), 4)
      << "0.3 is less than 0.301, by more than rounding";
}

// Grades exercise 1.10.
TEST(SamplingDistribution, AtTopPOneKeepsTheWholeTail) {
  // Oracle: by hand. e^-20 = 2.06e-9 is less than what rounding takes from a sum near 1. And the same without top k.
  for (const int top_k : {0, 2}) {
    const std::vector<float> p = distribution_of({0.0f, -20.0f}, {.temperature = 1.0f, .top_k = top_k});
    EXPECT_NEAR(p[1] / 2.0611537e-9, 1.0, 1e-5) << "top_k " << top_k;
  }
  std::vector<float> falling(3000);
  for (int i = 0; i < 3000; ++i) falling[i] = -0.02f * float(i);
  EXPECT_EQ(n_possible(distribution_of(falling, {.temperature = 1.0f})), 3000) << "of 3000 tokens, e^0 to e^-60";
}

// Grades exercise 1.10.
TEST(SamplingDistribution, AppliesTheStepsInOrder) {
  // Oracle: by hand. At temperature 1/2 the top three are .16 .09 .04 of .29: the first alone reaches .55 of them. If
  // top p came before the temperature (.4 < .55) or before top k's rescaling (.16/.30 < .55), two tokens would stay.
  expect_distribution({0, 1, 0, 0}, distribution_of(kLogits, {.temperature = 0.5f, .top_k = 3, .top_p = 0.55f}),
                      {{"top p is applied before the temperature, or before the softmax over the top k",
                        {0, 0.16f / 0.25f, 0, 0.09f / 0.25f}}});
}

// Grades exercise 1.10.
TEST(SamplingDistribution, ResolvesTiesByTheLowerId) {
  // Oracle: the header.
  expect_distribution({0.5f, 0.5f, 0, 0}, distribution_of({1, 1, 1, 1}, {.temperature = 1.0f, .top_k = 2}));
  expect_distribution({0.5f, 0.5f, 0, 0}, distribution_of({1, 1, 1, 1}, {.temperature = 1.0f, .top_p = 0.5f}));
  expect_distribution({1, 0, 0, 0}, distribution_of({1, 1, 1, 0}, {.temperature = 1.0f, .top_k = 2, .top_p = 0.45f}),
                      {{"tokens that top k has dropped still count for top p", {0.5f, 0.5f, 0, 0}}});
  std::vector<float> first_two(300, 0.0f);
  first_two[0] = first_two[1] = 0.5f;
  for (const SamplingOptions& options :
       {SamplingOptions{.temperature = 1.0f, .top_k = 2}, {.temperature = 1.0f, .top_p = 2 / 300.0f}}) {
    const std::vector<float> p = distribution_of(std::vector<float>(300, 1.0f), options);
    expect_distribution(first_two, p);
    if (n_possible(p) == 2 && p != first_two) ADD_FAILURE() << "two are kept, but others: is the sort stable?";
  }
}

// Grades exercise 1.10.
TEST(SamplingDistribution, NeverGivesAForbiddenTokenAChance) {
  // Oracle: by hand. A logit of -infinity (a masked token) keeps probability 0, also if k and p would let it in.
  for (const SamplingOptions& options : {SamplingOptions{.temperature = 1.0f},
                                         {.temperature = 1.0f, .top_k = 3},
                                         {.temperature = 1.0f, .top_k = 3, .top_p = 0.99f}}) {
    expect_distribution({0.5f, 0, 0.5f}, distribution_of({2.0f, -kInfinity, 2.0f}, options));
  }
  expect_distribution({0, 1}, distribution_of({-kInfinity, -5.0f}, {.temperature = 0.0f}));
}

// Grades exercise 1.10.
TEST(SamplingDistribution, LetsInfiniteLogitsWin) {
  // Oracle: the header. infinity - infinity must not become NaN.
  expect_distribution({0, 1, 0}, distribution_of({2.0f, kInfinity, -kInfinity}, {.temperature = 0.0f}));
  expect_distribution({0, 1, 0}, distribution_of({2.0f, kInfinity, -kInfinity}, {.temperature = 1.0f}));
  expect_distribution({0.5f, 0, 0.5f}, distribution_of({kInfinity, 3.0f, kInfinity}, {.temperature = 0.7f}));
  expect_distribution({1, 0, 0}, distribution_of({kInfinity, 3.0f, kInfinity}, {.temperature = 1.0f, .top_k = 1}));
  expect_distribution({1, 0, 0}, distribution_of({kInfinity, 3.0f, kInfinity}, {.temperature = 1.0f, .top_p = 0.5f}));
}

// Grades exercise 1.10.
TEST(SamplingDistribution, DoesNotOverflowAtAnyTemperature) {
  // Oracle: by hand. The differences are 1 / 1e-38, beyond a float; 6e38 / 3e38 = 2, where 6e38 is beyond it; and
  // 2 / 3e38, which is nothing.
  expect_distribution({0, 1}, distribution_of({1.0f, 2.0f}, {.temperature = 1e-38f}));
  expect_distribution({0.8807971f, 0.1192029f}, distribution_of({3e38f, -3e38f}, {.temperature = 3e38f}));
  expect_distribution({0.5f, 0.5f}, distribution_of({1.0f, -1.0f}, {.temperature = 3e38f}));
  expect_distribution({1, 0}, distribution_of({3e38f, -3e38f}, {.temperature = 1.0f}));
}

// Grades exercise 1.10.
TEST(SamplingDistribution, AllocatesNothingUnlessItSorts) {
  // Oracle: counting. The most likely token is a maximum, and a softmax needs no order: only top k and top p do.
  if (!counts_allocations) GTEST_SKIP() << "counting allocations needs glibc without a sanitizer";
  std::vector<float> p(4);
  for (const float temperature : {0.0f, 0.8f}) {
    const std::int64_t before = allocation_count();
    sampling_distribution(kLogits, {.temperature = temperature}, p);
    EXPECT_EQ(allocation_count() - before, 0) << "at temperature " << temperature << ", without top k and top p";
  }
}

// Grades exercise 1.10.
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
  EXPECT_THROW(sampling_distribution({}, {}, {}), std::invalid_argument);
}

// Grades exercise 1.10.
TEST(SamplingDistribution, RefusesLogitsThatMeanNothing) {
  // Oracle: the header. Whatever the temperature, and wherever the NaN is.
  std::vector<float> p(3);
  const float nan = std::nanf("");
  for (const float temperature : {0.0f, 1.0f}) {
    for (const std::vector<float>& logits : {std::vector<float>{nan, 1, 2},
                                             {1, nan, 2},
                                             {1, 2, nan},
                                             {nan, nan, nan},
                                             {-kInfinity, -kInfinity, -kInfinity}}) {
      EXPECT_THROW(sampling_distribution(logits, {.temperature = temperature}, p), std::invalid_argument)
          << "temperature " << temperature << ", logits " << testing::PrintToString(logits);
    }
  }
}

// Grades exercise 1.10.
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
  expect_distribution({0.2f, 0.4f, 0.1f, 0.3f}, p);  // what was drawn from
}

// Grades exercise 1.10.
TEST(Sample, TakesOneDrawForEachToken) {
  // Oracle: counting. Whatever the options, the second token uses the second draw.
  std::vector<float> p(4);
  for (const SamplingOptions& options : {SamplingOptions{.temperature = 1.0f}, SamplingOptions{.temperature = 0.0f},
                                         SamplingOptions{.temperature = 1.0f, .top_k = 1},
                                         SamplingOptions{.temperature = 1.0f, .top_k = 2, .top_p = 0.9f}}) {
    Random random(5), reference(5);
    sample(kLogits, options, random, p);
    reference.uniform();
    EXPECT_EQ(random.uniform(), reference.uniform());
  }
}

// Grades exercise 1.10.
TEST(Sample, NeverReturnsAnImpossibleToken) {
  // Oracle: the header. Ids 0 and 2 are filtered out, and 300 draws meet values near 0 and near 1.
  std::vector<float> p(4);
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const int token = sample(kLogits, {.temperature = 1.0f, .top_k = 2}, random, p);
    EXPECT_TRUE(token == 1 || token == 3) << token;
  }
}

// Grades exercise 1.10.
TEST(Sample, AddsUpTheProbabilitiesOfALargeVocabularyInDouble) {
  // Oracle: exact. 128,256 equally likely tokens, as many as Llama 3 has: the cumulative sum is known for each. A sum
  // in float is off by several tokens.
  constexpr int V = 128256;
  const std::vector<float> logits(V, 0.25f);
  std::vector<float> p(V);
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random random(seed);
    const int token = sample(logits, {.temperature = 1.0f}, random, p);
    const double draw = Random(seed).uniform() * V;  // in tokens
    EXPECT_TRUE(std::abs(token - std::floor(draw)) <= 1) << "the draw is at " << draw << ", the token is " << token;
  }
}

// Grades exercise 1.10.
TEST(Sample, TakesAPossibleTokenIfTheSumEndsBelowTheDraw) {
  // Oracle: the header. 61 times the float next to 1/61 is less than 1, and this draw of the generator lies between;
  // the last token has no chance.
  std::vector<float> logits(62, 0.0f), p(62);
  logits[61] = -5.0f;
  Random random(1);
  for (int i = 0; i < 517518; ++i) random.uniform();
  const int token = sample(logits, {.temperature = 1.0f, .top_k = 61}, random, p);
  ASSERT_TRUE(token >= 0 && token < 62) << token;
  EXPECT_GT(p[token], 0.0f) << "token " << token << " has probability 0";
}

}  // namespace
}  // namespace waitless
