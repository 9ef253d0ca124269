#include "common/tokenizer/bpe.h"

#include <queue>
#include <tuple>

namespace waitless {
namespace {

constexpr int kNone = -1;

std::uint64_t pair_key(int left, int right) { return std::uint64_t(std::uint32_t(left)) << 32 | std::uint32_t(right); }

/// A token of the word that is being merged, linked to its neighbours. A token that was merged into its left
/// neighbour is dead.
struct Symbol {
  int token;
  int previous, next;
  bool alive = true;
};

/// A merge that was possible when it was queued. It still is if its two tokens still stand there.
struct Candidate {
  int rank;
  int at;  // index of the left symbol
  int left, right, merged;
  bool operator>(const Candidate& other) const { return std::tie(rank, at) > std::tie(other.rank, other.at); }
};

}  // namespace

bool MergeTable::add(int left, int right, int merged) {
  return merges_.try_emplace(pair_key(left, right), Merge{int(merges_.size()), merged}).second;
}

const MergeTable::Merge* MergeTable::find(int left, int right) const {
  const auto entry = merges_.find(pair_key(left, right));
  return entry == merges_.end() ? nullptr : &entry->second;
}

void MergeTable::apply(std::vector<int>& word) const {
  const int n = int(word.size());
  if (n < 2) return;
  std::vector<Symbol> symbols;
  symbols.reserve(word.size());
  for (int i = 0; i < n; ++i) symbols.push_back({word[i], i - 1, i + 1 < n ? i + 1 : kNone});

  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto consider = [&](int at) {
    if (at == kNone || symbols[at].next == kNone) return;
    const int left = symbols[at].token, right = symbols[symbols[at].next].token;
    if (const Merge* merge = find(left, right)) queue.push({merge->rank, at, left, right, merge->merged});
  };
  for (int i = 0; i + 1 < n; ++i) consider(i);

  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Symbol& left = symbols[best.at];
    if (!left.alive || left.token != best.left) continue;
    if (left.next == kNone || symbols[left.next].token != best.right) continue;

    // The left symbol becomes the merged token; the right one leaves the list.
    Symbol& right = symbols[left.next];
    left.token = best.merged;
    right.alive = false;
    left.next = right.next;
    if (left.next != kNone) symbols[left.next].previous = best.at;
    consider(left.previous);
    consider(best.at);
  }

  word.clear();
  for (int i = 0; i != kNone; i = symbols[i].next) word.push_back(symbols[i].token);
}

}  // namespace waitless
