#pragma once

#include <cstdint>
#include <vector>

#include "common/simt/current.h"
#include "common/simt/settings.h"

namespace waitless::simt {

/// The order of one thread block's threads.
struct Turns {
  std::vector<ThreadIndex> threads;         // first to last
  std::vector<std::uint16_t> linear;        // their linear indices
  std::vector<std::uint16_t> warp_threads;  // those by warp: entries 32 w .. 32 w + 31 are the lanes of warp w

  void set(uint3 block_size, const Settings& settings);
  /// Draws the random order of one thread block.
  void shuffle(std::uint64_t seed, std::uint64_t block_number);

 private:
  void index();
};

/// Which thread block of a grid gets the turn `turn`: a permutation of 0 .. n_blocks - 1.
std::uint64_t block_at_turn(std::uint64_t turn, std::uint64_t n_blocks, const Settings& settings);

}  // namespace waitless::simt
