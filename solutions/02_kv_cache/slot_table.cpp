#include "slot_table.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "common/base/not_implemented.h"

namespace waitless {

// Yours to define: what has to be remembered of slots, of sequences, and of the step under way.
struct SlotTable::State {
  // SOLUTION_BEGIN(2.2)
  struct Sequence {
    std::vector<SlotSpan> spans;
    int next_position = 0;
  };
  std::map<int, Sequence> sequences;

  std::vector<int> n_owners;        // [n_slots] sequences that hold the slot's token; 1 during a step; 0: free
  int n_free = 0, lowest_free = 0;  // every slot below lowest_free is taken

  std::vector<int> slot, sequence, position;  // [T] of the latest step
  std::vector<int> next_before;               // [T] the next position of the row's sequence before the step
  bool is_open = false;                       // whether it is under way
  std::vector<SlotSpan> scratch;

  int deal() {
    while (n_owners[lowest_free] > 0) ++lowest_free;
    --n_free;
    n_owners[lowest_free] = 1;
    return lowest_free;
  }

  void release(int its_slot) {
    if (--n_owners[its_slot] > 0) return;
    ++n_free;
    lowest_free = std::min(lowest_free, its_slot);
  }

  /// Adds a token behind the others: to the last span if it goes on there.
  static void add(std::vector<SlotSpan>& spans, int its_slot, int its_position) {
    if (!spans.empty()) {
      SlotSpan& last = spans.back();
      if (last.slot + last.n == its_slot && last.position + last.n == its_position) {
        ++last.n;
        return;
      }
    }
    spans.push_back({its_slot, its_position, 1});
  }

  /// Releases the tokens of a sequence that should not stay: stays(slot, position). Those of others stay.
  template <class Stays>
  void retain(int its_sequence, const Stays& stays) {
    const auto found = sequences.find(its_sequence);
    if (found == sequences.end()) return;
    scratch.clear();
    for (const SlotSpan& span : found->second.spans) {
      for (int i = 0; i < span.n; ++i) {
        if (stays(span.slot + i, span.position + i))
          add(scratch, span.slot + i, span.position + i);
        else
          release(span.slot + i);
      }
    }
    found->second.spans.assign(scratch.begin(), scratch.end());
  }
  // SOLUTION_END(2.2)
};

SlotTable::~SlotTable() = default;

SlotTable::SlotTable(int n_slots) {
  // EXERCISE(2.2): check the argument; all slots are free.
  // SOLUTION_BEGIN(2.2)
  if (n_slots < 1) {
    throw std::invalid_argument("slot table: needs at least 1 slot, not " + std::to_string(n_slots));
  }
  state_ = std::make_unique<State>();
  state_->n_owners.assign(n_slots, 0);
  state_->n_free = n_slots;
  // SOLUTION_END(2.2)
}

int SlotTable::n_slots() const {
  // EXERCISE(2.2): as many as the table was made for.
  // SOLUTION_BEGIN(2.2)
  return int(state_->n_owners.size());
  // SOLUTION_END(2.2)
}

int SlotTable::n_free() const {
  // EXERCISE(2.2): slots that no token holds and no row of a step waits for.
  // SOLUTION_BEGIN(2.2)
  return state_->n_free;
  // SOLUTION_END(2.2)
}

void SlotTable::begin(const Batch& batch) {
  // EXERCISE(2.2): cancel an open step; check the batch and the room; then deal, and remember whose each slot will be.
  // SOLUTION_BEGIN(2.2)
  cancel();
  batch.check();
  const int T = batch.n_rows(), n_wanted = T - int(std::count(batch.is_stored.begin(), batch.is_stored.end(), 0));
  if (n_wanted > n_free()) {
    throw CacheFull("slot table: " + std::to_string(n_wanted) + " rows are to be stored, but only " +
                    std::to_string(n_free()) + " of " + std::to_string(n_slots()) + " slots are free");
  }
  State& state = *state_;
  state.slot.assign(T, kNoSlot);
  state.sequence = batch.sequence;
  state.position = batch.position;
  state.next_before.resize(T);
  for (int t = 0; t < T; ++t) {
    if (batch.is_stored[t]) state.slot[t] = state.deal();
    state.next_before[t] = next_position(batch.sequence[t]);
  }
  state.is_open = true;
  // SOLUTION_END(2.2)
}

std::span<const int> SlotTable::slots() const {
  // EXERCISE(2.2): what begin() dealt.
  // SOLUTION_BEGIN(2.2)
  return state_->slot;
  // SOLUTION_END(2.2)
}

bool SlotTable::is_open() const {
  // EXERCISE(2.2): whether begin() came after the latest commit() or cancel().
  // SOLUTION_BEGIN(2.2)
  return state_->is_open;
  // SOLUTION_END(2.2)
}

void SlotTable::commit() {
  // EXERCISE(2.2): each row of the open step that has a slot joins its sequence.
  // SOLUTION_BEGIN(2.2)
  State& state = *state_;
  if (!state.is_open) return;
  for (std::size_t t = 0; t < state.slot.size(); ++t) {
    if (state.slot[t] == kNoSlot) continue;
    State::Sequence& its = state.sequences[state.sequence[t]];
    State::add(its.spans, state.slot[t], state.position[t]);
    its.next_position = std::max(its.next_position, state.position[t] + 1);
  }
  state.is_open = false;
  // SOLUTION_END(2.2)
}

void SlotTable::cancel() {
  // EXERCISE(2.2): the slots of an open step become free again.
  // SOLUTION_BEGIN(2.2)
  State& state = *state_;
  if (!state.is_open) return;
  for (const int slot : state.slot) {
    if (slot != kNoSlot) state.release(slot);
  }
  state.slot.clear();
  state.is_open = false;
  // SOLUTION_END(2.2)
}

std::span<const SlotSpan> SlotTable::spans(int sequence) const {
  // EXERCISE(2.2): what is known of the sequence; nothing if it is not known.
  // SOLUTION_BEGIN(2.2)
  const auto found = state_->sequences.find(sequence);
  if (found == state_->sequences.end()) return {};
  return found->second.spans;
  // SOLUTION_END(2.2)
}

int SlotTable::n_stored(int sequence) const {
  int n = 0;
  for (const SlotSpan& span : spans(sequence)) n += span.n;
  return n;
}

int SlotTable::next_position(int sequence) const {
  // EXERCISE(2.2): one more than the highest position that was stored; 0 for a sequence that is not known.
  // SOLUTION_BEGIN(2.2)
  const auto found = state_->sequences.find(sequence);
  return found == state_->sequences.end() ? 0 : found->second.next_position;
  // SOLUTION_END(2.2)
}

void SlotTable::keep(std::span<const int> rows) {
  // EXERCISE(2.3): check the step and the rows; then every other row of the latest step leaves its sequence, which goes
  // on behind its rows that stay.
  // SOLUTION_BEGIN(2.3)
  State& state = *state_;
  if (state.is_open) throw std::invalid_argument("slot table: the step was not committed");
  const int T = int(state.slot.size());
  for (const int row : rows) {
    if (row < 0 || row >= T) {
      throw std::invalid_argument("slot table: there is no row " + std::to_string(row) + " among the " +
                                  std::to_string(T) + " of the step");
    }
  }
  for (int t = 0; t < T; ++t) {
    if (state.slot[t] == kNoSlot || std::find(rows.begin(), rows.end(), t) != rows.end()) continue;
    state.retain(state.sequence[t], [&](int slot, int) { return slot != state.slot[t]; });
    state.slot[t] = kNoSlot;
    state.sequences[state.sequence[t]].next_position = state.next_before[t];
  }
  for (int t = 0; t < T; ++t) {
    if (state.slot[t] == kNoSlot) continue;
    int& next_position = state.sequences[state.sequence[t]].next_position;
    next_position = std::max(next_position, state.position[t] + 1);
  }
  // SOLUTION_END(2.3)
}

void SlotTable::truncate(int sequence, int n_positions) {
  // EXERCISE(2.3): check the argument; then the later positions leave the sequence.
  // SOLUTION_BEGIN(2.3)
  if (n_positions < 0) {
    throw std::invalid_argument("slot table: cannot keep " + std::to_string(n_positions) + " positions of sequence " +
                                std::to_string(sequence));
  }
  cancel();
  state_->retain(sequence, [&](int, int position) { return position < n_positions; });
  if (n_positions < next_position(sequence)) state_->sequences[sequence].next_position = n_positions;
  // SOLUTION_END(2.3)
}

void SlotTable::evict(int sequence, int first, int last) {
  // EXERCISE(2.3): the positions from first to last leave the sequence.
  // SOLUTION_BEGIN(2.3)
  cancel();
  state_->retain(sequence, [&](int, int position) { return position < first || position > last; });
  // SOLUTION_END(2.3)
}

void SlotTable::fork(int from, int to) {
  // EXERCISE(2.3): check that `to` holds nothing; then it holds what `from` does, and each slot has one owner more.
  // SOLUTION_BEGIN(2.3)
  if (n_stored(to) > 0) {
    throw std::invalid_argument("slot table: sequence " + std::to_string(to) + " holds tokens already");
  }
  cancel();
  for (const SlotSpan& span : spans(from)) {
    for (int i = 0; i < span.n; ++i) ++state_->n_owners[span.slot + i];
  }
  const State::Sequence shared = state_->sequences[from];
  state_->sequences[to] = shared;
  // SOLUTION_END(2.3)
}

void SlotTable::free(int sequence) {
  // EXERCISE(2.3): nothing of the sequence stays.
  // SOLUTION_BEGIN(2.3)
  cancel();
  state_->retain(sequence, [](int, int) { return false; });
  state_->sequences.erase(sequence);
  // SOLUTION_END(2.3)
}

void SlotTable::reset() {
  // EXERCISE(2.3): nothing of any sequence stays.
  // SOLUTION_BEGIN(2.3)
  while (!state_->sequences.empty()) free(state_->sequences.begin()->first);
  cancel();
  // SOLUTION_END(2.3)
}

}  // namespace waitless
