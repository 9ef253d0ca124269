#include "tests/common/simt_checked/gaps.h"

#include "common/simt/checked/limits.h"
#include "tests/common/simt_checked/finding.h"

namespace waitless::simt_test {
namespace {

// Guards the list of what is not found in docs/checks_and_counters.md: should one of these begin to fail, the checks
// have become better, and the list shorter.
TEST(Gaps, AreAsTheGuideSays) {
  EXPECT_EQ(finding(index_into_another_buffer), "");
  EXPECT_EQ(finding(unused_read_out_of_bounds), "");
  EXPECT_EQ(finding(memcpy_out_of_bounds), "");
  EXPECT_EQ(finding(pointer_into_another_shared_variable), "");
  EXPECT_EQ(finding(barrier_in_a_branch), "");
  EXPECT_EQ(finding(write_the_same_value), "");
  EXPECT_EQ(finding(read_without_a_fence), "");
  EXPECT_EQ(finding(copy_what_nobody_wrote), "");
}

// Guards the one correct program that is stopped: a thread that polls for another gives it no turn.
TEST(Gaps, PollingWithinAThreadBlockIsStopped) {
  const simt::Limits before = simt::limits();
  simt::set_limits({100'000, 1});
  const InOrder forward(simt::Settings{1, simt::ThreadOrder::kForward, 0});
  EXPECT_TRUE(contains(finding(poll_for_another_warp), "a loop has no end"));
  simt::set_limits(before);
}

}  // namespace
}  // namespace waitless::simt_test
