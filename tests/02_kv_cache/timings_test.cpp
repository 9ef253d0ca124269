#include "timings.h"

#include <gtest/gtest.h>

#include <vector>

namespace waitless {
namespace {

// Grades exercise 2.7.
TEST(Timings, AreTheHandComputedOnes) {
  // Oracle: by hand. The request at 10, tokens at 13, 14, 14.5 and 17.
  const Timings t = timings(10, std::vector<double>{13, 14, 14.5, 17});
  EXPECT_DOUBLE_EQ(t.ttft, 3);
  EXPECT_DOUBLE_EQ(t.e2e, 7);
  EXPECT_DOUBLE_EQ(t.tpot, 4.0 / 3) << "(E2E - TTFT) / (n - 1)";
  EXPECT_EQ(t.itl, (std::vector<double>{1, 0.5, 2.5}));
}

// Grades exercise 2.7.
TEST(Timings, OfFewTokensAreWhatCanBeSaid) {
  // Oracle: the header.
  const Timings one = timings(2, std::vector<double>{5}), none = timings(2, {});
  EXPECT_EQ(one.ttft, 3);
  EXPECT_EQ(one.e2e, 3);
  EXPECT_EQ(one.tpot, 0);
  EXPECT_TRUE(one.itl.empty());
  EXPECT_EQ(none.ttft, 0);
  EXPECT_EQ(none.e2e, 0);
  EXPECT_EQ(none.tpot, 0);
}

// Grades exercise 2.7.
TEST(Timings, OfAClockThatStandsStillAreZero) {
  // Oracle: the header, which refuses earlier times only. A coarse clock gives two tokens the same one.
  const Timings t = timings(2, std::vector<double>{2, 2, 5});
  EXPECT_EQ(t.ttft, 0);
  EXPECT_EQ(t.itl, (std::vector<double>{0, 3}));
}

// Grades exercise 2.7.
TEST(Timings, RefuseAClockThatGoesBack) {
  // Oracle: the header.
  EXPECT_THROW(timings(2, std::vector<double>{1}), std::invalid_argument);
  EXPECT_THROW(timings(2, std::vector<double>{3, 5, 4}), std::invalid_argument);
}

// Grades exercise 2.7.
TEST(Percentile, IsTheNearestRank) {
  // Oracle: by hand. Five values: p50 is the third, p99 the last, p20 the first and p21 the second.
  const std::vector<double> values = {30, 10, 50, 20, 40};
  EXPECT_EQ(percentile(values, 50), 30);
  EXPECT_EQ(percentile(values, 99), 50);
  EXPECT_EQ(percentile(values, 100), 50);
  EXPECT_EQ(percentile(values, 20), 10);
  EXPECT_EQ(percentile(values, 21), 20);
  EXPECT_EQ(percentile(std::vector<double>{7}, 1), 7);
  EXPECT_EQ(percentile(std::vector<double>{1, 2, 3, 4}, 50), 2);
}

// Grades exercise 2.7.
TEST(Percentile, RefusesWhatHasNoRank) {
  // Oracle: the header.
  EXPECT_THROW(percentile({}, 50), std::invalid_argument);
  EXPECT_THROW(percentile(std::vector<double>{1}, 0), std::invalid_argument);
  EXPECT_THROW(percentile(std::vector<double>{1}, 100.5), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
