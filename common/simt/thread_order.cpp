#include "common/simt/thread_order.h"

#include <algorithm>
#include <numeric>

namespace waitless::simt {
namespace {

constexpr int kWarpSize = 32;

/// SplitMix64 (Steele, Lea, Flood 2014): a hash good enough to draw a permutation from.
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

void Turns::set(uint3 block_size, const Settings& settings) {
  threads.clear();
  for (unsigned z = 0; z < block_size.z; ++z) {
    for (unsigned y = 0; y < block_size.y; ++y) {
      for (unsigned x = 0; x < block_size.x; ++x) {
        threads.push_back({{x, y, z}, static_cast<unsigned>(threads.size())});
      }
    }
  }
  if (settings.order == ThreadOrder::kReverse) std::reverse(threads.begin(), threads.end());
  index();
}

void Turns::shuffle(std::uint64_t seed, std::uint64_t block_number) {
  std::uint64_t state = seed ^ (block_number * 0xd1342543de82ef95u);
  for (std::size_t i = threads.size() - 1; i > 0; --i) std::swap(threads[i], threads[next_random(state) % (i + 1)]);
  index();
}

void Turns::index() {
  linear.clear();
  for (const ThreadIndex& thread : threads) linear.push_back(static_cast<std::uint16_t>(thread.linear));
  warp_threads.resize(threads.size());
  std::vector<std::size_t> next_entry((threads.size() + kWarpSize - 1) / kWarpSize);
  for (std::size_t warp = 0; warp < next_entry.size(); ++warp) next_entry[warp] = warp * kWarpSize;
  for (const std::uint16_t thread : linear) warp_threads[next_entry[thread / kWarpSize]++] = thread;
}

std::uint64_t block_at_turn(std::uint64_t turn, std::uint64_t n_blocks, const Settings& settings) {
  if (settings.order == ThreadOrder::kForward) return turn;
  if (settings.order == ThreadOrder::kReverse) return n_blocks - 1 - turn;
  // Steps of a stride that shares no factor with n_blocks meet each block once.
  std::uint64_t state = settings.seed;
  const std::uint64_t first = next_random(state) % n_blocks;
  std::uint64_t stride = next_random(state) % n_blocks + 1;
  while (std::gcd(stride, n_blocks) != 1) ++stride;
  return static_cast<std::uint64_t>((first + static_cast<unsigned __int128>(turn) * stride) % n_blocks);
}

}  // namespace waitless::simt
