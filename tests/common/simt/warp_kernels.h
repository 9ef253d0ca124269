#pragma once

#include <vector>

namespace waitless::simt_test {

/// For each of 32 lanes with value 100 + lane: __shfl_sync from (lane + 5), up by 3, down by 3, xor with 9.
std::vector<int> shuffles(int width);
/// A lane's value read from lane 31 - lane, as each type of 1 to 8 bytes; 1 where it arrived unchanged.
std::vector<int> shuffle_types();
/// The sum 0 + .. + 31 by __shfl_xor_sync, in each lane of three warps of one thread block.
std::vector<int> butterfly_sums();
/// Two halves of a warp shuffle separately, with different masks, a different number of times.
std::vector<int> halves();
/// In a thread block of 40: ballot, all, any with the mask of the lanes that exist.
std::vector<unsigned> votes_in_a_partial_warp();
/// Lanes 20 .. 31 exit; the others name all lanes in their mask.
std::vector<unsigned> votes_after_exit();
/// __match_any_sync of lane % 3.
std::vector<unsigned> matches();
/// Lane l writes before __syncwarp, lane 31 - l reads after it; 8 warps, 3 rounds.
std::vector<int> exchange_by_syncwarp();
/// 1 where __activemask contains the caller.
std::vector<int> active_mask_contains_caller();

}  // namespace waitless::simt_test
