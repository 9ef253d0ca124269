#include "tests/common/simt/warp_kernels.h"

#include "tests/common/simt/kernel_test.h"

namespace waitless::simt_test {

class Warps : public KernelTest {};
INSTANTIATE_KERNEL_TEST(Warps);

// Guards the four shuffles over whole warps.
TEST_P(Warps, ShufflesReadTheLaneThatCudaNames) {
  // By hand: lane + 5 wraps around; up and down keep the own value where the source would leave the warp.
  const std::vector<int> values = shuffles(32);
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(values[4 * lane], 100 + (lane + 5) % 32);
    EXPECT_EQ(values[4 * lane + 1], 100 + (lane < 3 ? lane : lane - 3));
    EXPECT_EQ(values[4 * lane + 2], 100 + (lane > 28 ? lane : lane + 3));
    EXPECT_EQ(values[4 * lane + 3], 100 + (lane ^ 9));
  }
}

// Guards the width of shuffles: segments of 8 lanes.
TEST_P(Warps, ShufflesStayInTheirSegment) {
  // By hand: (lane + 5) counts modulo 8 within the segment. lane ^ 9 lies in another segment: a later one (even
  // segments) is out of reach and gives the own value, an earlier one (odd segments) may be read.
  const std::vector<int> values = shuffles(8);
  for (int lane = 0; lane < 32; ++lane) {
    const int first = lane / 8 * 8, place = lane % 8;
    EXPECT_EQ(values[4 * lane], 100 + first + (place + 5) % 8);
    EXPECT_EQ(values[4 * lane + 1], 100 + (place < 3 ? lane : lane - 3));
    EXPECT_EQ(values[4 * lane + 2], 100 + (place > 4 ? lane : lane + 3));
    EXPECT_EQ(values[4 * lane + 3], 100 + (lane / 8 % 2 == 0 ? lane : lane ^ 9));
  }
}

// Guards shuffles of 1, 2, 4 and 8 bytes, signed, unsigned and floating-point.
TEST_P(Warps, ShufflesKeepEveryBitOfAValue) { EXPECT_EQ(shuffle_types(), std::vector<int>(9 * 32, 1)); }

// Guards warps of one thread block against each other.
TEST_P(Warps, EachWarpSumsItsOwnLanes) {
  // By hand: 0 + 1 + ... + 31 = 496 in each lane.
  EXPECT_EQ(butterfly_sums(), std::vector<int>(96, 496));
}

// Guards masks: groups of lanes that do not wait for each other.
TEST_P(Warps, HalvesOfAWarpWorkIndependently) {
  // By hand: 3 steps of a rotation in the lower half, 5 in the upper.
  const std::vector<int> values = halves();
  for (int lane = 0; lane < 16; ++lane) EXPECT_EQ(values[lane], (lane + 3) % 16);
  for (int lane = 16; lane < 32; ++lane) EXPECT_EQ(values[lane], 16 + (lane + 5) % 16);
}

// Guards ballot, all and any, in a warp of 8 lanes too.
TEST_P(Warps, VotesSeeTheLanesInTheMask) {
  // By hand: odd lanes are 0xaaaaaaaa of a whole warp and 0xaa of 8 lanes; thread 33 is in the second warp.
  const std::vector<unsigned> seen = votes_in_a_partial_warp();
  for (int t = 0; t < 40; ++t) {
    EXPECT_EQ(seen[4 * t], t < 32 ? 0xaaaaaaaau : 0xaau);
    EXPECT_NE(seen[4 * t + 1], 0u);
    EXPECT_EQ(seen[4 * t + 2] != 0, t < 32);
    EXPECT_EQ(seen[4 * t + 3] != 0, t >= 32);
  }
}

// Guards votes among the lanes that are left.
TEST_P(Warps, LanesGoOnAfterOthersHaveExited) {
  const std::vector<unsigned> seen = votes_after_exit();
  for (int lane = 0; lane < 20; ++lane) {
    EXPECT_EQ(seen[2 * lane], 0xfffffu);
    EXPECT_NE(seen[2 * lane + 1], 0u);
  }
}

// Guards __match_any_sync.
TEST_P(Warps, MatchFindsTheLanesWithTheSameValue) {
  // By hand: lanes 0, 3, .., 30 are bits 0x49249249; the other two classes are that shifted.
  const std::vector<unsigned> seen = matches();
  const unsigned classes[] = {0x49249249u, 0x92492492u, 0x24924924u};
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(seen[lane], classes[lane % 3]);
}

// Guards __syncwarp.
TEST_P(Warps, SharedMemoryIsCompleteForTheWarpAfterSyncwarp) {
  // By hand: a value changes sides and grows by one in each of three rounds.
  const std::vector<int> values = exchange_by_syncwarp();
  for (int t = 0; t < 256; ++t) EXPECT_EQ(values[t], (t ^ 31) + 3);
}

// Guards __activemask: CUDA promises only that the caller is in it.
TEST_P(Warps, TheActiveMaskContainsTheCaller) { EXPECT_EQ(active_mask_contains_caller(), std::vector<int>(64, 1)); }

}  // namespace waitless::simt_test
