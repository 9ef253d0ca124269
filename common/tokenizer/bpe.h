#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace waitless {

/// The merges of byte-pair encoding: which pairs of neighbouring tokens may become one, in order of priority.
class MergeTable {
 public:
  /// Adds the merge of next rank.
  /// @return false if the pair has one already
  bool add(int left, int right, int merged);

  /// Applies the merges to the tokens of one word, in place. At every step the pair of lowest rank is merged, the
  /// leftmost one if there are several. O(n log n) for n tokens.
  void apply(std::vector<int>& word) const;

 private:
  struct Merge {
    int rank;
    int merged;
  };
  const Merge* find(int left, int right) const;

  struct HashPair {
    std::size_t operator()(std::uint64_t pair) const {
      pair *= 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio: spreads neighbouring pairs over the upper bits
      return std::size_t(pair ^ (pair >> 32));
    }
  };
  std::unordered_map<std::uint64_t, Merge, HashPair> merges_;
};

}  // namespace waitless
