#include "tests/common/simt_checked/legitimate_patterns.h"

#include "tests/common/simt_checked/finding.h"

namespace waitless::simt_test {
namespace {

class LegitimatePatterns : public ::testing::TestWithParam<LegitimatePattern> {};

// Guards against false alarms, in every order.
TEST_P(LegitimatePatterns, RaiseNoAlarm) {
  // Oracle: the sum of the results, by hand.
  for (const simt::Settings& order : all_orders()) {
    const InOrder in_order(order);
    double sum = 0;
    ASSERT_NO_THROW(sum = GetParam().run());
    EXPECT_EQ(sum, GetParam().expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Simt, LegitimatePatterns, ::testing::ValuesIn(legitimate_patterns()),
                         [](const auto& pattern) { return std::string(pattern.param.name); });

// Guards the number of patterns that the checks are held to.
TEST(LegitimatePatternsInAll, AreAtLeastTwenty) { EXPECT_GE(legitimate_patterns().size(), 20u); }

}  // namespace
}  // namespace waitless::simt_test
