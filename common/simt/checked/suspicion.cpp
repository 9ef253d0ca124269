/// From an access that must not be to the problem that stops the thread block; some suspicions wait for what comes
/// next.

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/simt/checked/checker.h"
#include "common/simt/current.h"
#include "common/simt/thread_block.h"

namespace waitless::simt::checked {

void Checker::bad_index(const char* file, int line, const char* type, long long index) {
  Problem problem{};
  problem.kind = ProblemKind::kIndex;
  problem.party = {current.block_index, thread(), Direction::kRead, nullptr};
  problem.file = file;
  problem.line = line;
  problem.type = type;
  problem.index = index;
  stop(problem);
}

Problem Checker::problem_at(ProblemKind kind, const Attempt& attempt) const {
  Problem problem{};
  problem.kind = kind;
  problem.party = {current.block_index, attempt.thread, attempt.direction, attempt.code};
  problem.region = attempt.region;
  problem.address = attempt.address;
  problem.offset = attempt.offset;
  problem.allocation = attempt.allocation;
  problem.size = attempt.size;
  return problem;
}

Problem Checker::race_at(const Attempt& attempt, Record other) const {
  Problem problem = problem_at(ProblemKind::kRace, attempt);
  const Site& site = requests_.site(other.site());
  problem.other = {block_of(other), other.thread(), site.direction, site.code};
  return problem;
}

void Checker::suspect_race(const Attempt& attempt, Record other) {
  const Direction now = attempt.direction, earlier = requests_.site(other.site()).direction;
  const bool may_be_harmless = (now == Direction::kWrite && earlier == Direction::kWrite) ||
                               (now == Direction::kRead && earlier == Direction::kAtomic);
  if (!may_be_harmless) stop(race_at(attempt, other));
  suspicion_.address = attempt.address;
  std::memcpy(suspicion_.before.data(), attempt.address, attempt.size);
  suspicion_.problem = race_at(attempt, other);
}

/// Who reads before anybody has written is too early, or forgot to write. That shows at the next barrier: if another
/// thread writes until then, the two race.
void Checker::suspect_uninitialised(const Attempt& attempt) {
  if (is_uninitialised_) return;
  is_uninitialised_ = true;
  uninitialised_ = problem_at(ProblemKind::kUninitialised, attempt);
}

void Checker::settle(const Attempt* next) {
  const void* const address = std::exchange(suspicion_.address, nullptr);
  const Problem& problem = suspicion_.problem;
  const bool is_harmless = problem.party.direction == Direction::kWrite
                               ? std::memcmp(address, suspicion_.before.data(), problem.size) == 0
                               : next != nullptr && next->direction == Direction::kAtomic && next->address == address;
  if (!is_harmless) stop(problem);
}

void Checker::fence() {
  settle_suspicion(nullptr);
  order_.fence(thread());
}

uint3 Checker::block_of(Record access) const {
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), access.stamp(),
                                      [](Stamp stamp, const BlockBegin& block) { return stamp < block.stamp; });
  return after == blocks_.begin() ? current.block_index : std::prev(after)->index;
}

void Checker::stop(const Problem& problem) {
  runs_kernel_code = false;
  // What goes wrong after a read of uninitialised memory is its consequence.
  problem_ = is_uninitialised_ && problem.kind != ProblemKind::kRace ? uninitialised_ : problem;
  current.block->stop([] { return checker().describe_problem(); });
}

void Checker::note_no_progress(const void* code) {
  Problem problem{};
  problem.kind = ProblemKind::kNoProgress;
  problem.party = {current.block_index, thread(), Direction::kRead, static_cast<const char*>(code) + 1};
  runs_kernel_code = false;
  problem_ = is_uninitialised_ ? uninitialised_ : problem;
}

}  // namespace waitless::simt::checked
