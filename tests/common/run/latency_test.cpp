// Guards common/run/latency.
#include "common/run/latency.h"

#include <gtest/gtest.h>

#include <vector>

namespace waitless {
namespace {

// Guards the times of one token a step.
TEST(Latency, IsTheHandComputedOne) {
  // Oracle: by hand. The request at 10, tokens at 13, 14, 14.5 and 17: gaps 1, 0.5 and 2.5.
  const std::vector<TokenEvent> events = {{.time = 13}, {.time = 14}, {.time = 14.5}, {.time = 17}};
  const Latency l = latency(10, events);
  EXPECT_DOUBLE_EQ(l.ttft, 3);
  EXPECT_DOUBLE_EQ(l.tpot, 4.0 / 3);
  EXPECT_DOUBLE_EQ(l.itl_p50, 1);
  EXPECT_DOUBLE_EQ(l.itl_p99, 2.5);
}

// Guards the times of several tokens a step.
TEST(Latency, CountsNoGapInsideABlockOfTokens) {
  // Oracle: by hand. Blocks of 2, 4 and 3 tokens at 1, 3 and 4: seven tokens after the first block took 3 seconds, and
  // the text stood still for 2 and for 1.
  const std::vector<TokenEvent> events = {
      {.time = 1, .n_tokens = 2}, {.time = 3, .n_tokens = 4}, {.time = 4, .n_tokens = 3}};
  const Latency l = latency(0, events);
  EXPECT_DOUBLE_EQ(l.ttft, 1);
  EXPECT_DOUBLE_EQ(l.tpot, 3.0 / 7);
  EXPECT_DOUBLE_EQ(l.itl_p50, 1);
  EXPECT_DOUBLE_EQ(l.itl_p99, 2);
}

// Guards short texts.
TEST(Latency, OfFewTokensIsWhatCanBeSaid) {
  // Oracle: the header.
  EXPECT_EQ(latency(2, {}).ttft, 0);
  const std::vector<TokenEvent> one = {{.time = 5, .n_tokens = 3}};
  EXPECT_EQ(latency(2, one).ttft, 3);
  EXPECT_EQ(latency(2, one).tpot, 0);
  EXPECT_EQ(latency(2, one).itl_p99, 0);
}

// Guards the mean over requests.
TEST(Latency, HasAMean) {
  // Oracle: by hand.
  const std::vector<Latency> two = {{.ttft = 1, .tpot = 2, .itl_p50 = 3, .itl_p99 = 4}, {.ttft = 3, .tpot = 4}};
  EXPECT_DOUBLE_EQ(mean(two).ttft, 2);
  EXPECT_DOUBLE_EQ(mean(two).tpot, 3);
  EXPECT_DOUBLE_EQ(mean(two).itl_p50, 1.5);
  EXPECT_DOUBLE_EQ(mean(two).itl_p99, 2);
  EXPECT_EQ(mean({}).ttft, 0);
}

}  // namespace
}  // namespace waitless
