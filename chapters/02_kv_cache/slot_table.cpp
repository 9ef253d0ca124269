#include "slot_table.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "common/base/not_implemented.h"

namespace waitless {

// Yours to define: what has to be remembered of slots, of sequences, and of the step under way.
struct SlotTable::State {
};

SlotTable::~SlotTable() = default;

SlotTable::SlotTable(int n_slots) {
  // EXERCISE(2.2): check the argument; all slots are free.
  not_implemented("2.2");
}

int SlotTable::n_slots() const {
  // EXERCISE(2.2): as many as the table was made for.
  not_implemented("2.2");
}

int SlotTable::n_free() const {
  // EXERCISE(2.2): slots that no token holds and no row of a step waits for.
  not_implemented("2.2");
}

void SlotTable::begin(const Batch& batch) {
  // EXERCISE(2.2): cancel an open step; check the batch and the room; then deal, and remember whose each slot will be.
  not_implemented("2.2");
}

std::span<const int> SlotTable::slots() const {
  // EXERCISE(2.2): what begin() dealt.
  not_implemented("2.2");
}

bool SlotTable::is_open() const {
  // EXERCISE(2.2): whether begin() came after the latest commit() or cancel().
  not_implemented("2.2");
}

void SlotTable::commit() {
  // EXERCISE(2.2): each row of the open step that has a slot joins its sequence.
  not_implemented("2.2");
}

void SlotTable::cancel() {
  // EXERCISE(2.2): the slots of an open step become free again.
  not_implemented("2.2");
}

std::span<const SlotSpan> SlotTable::spans(int sequence) const {
  // EXERCISE(2.2): what is known of the sequence; nothing if it is not known.
  not_implemented("2.2");
}

int SlotTable::n_stored(int sequence) const {
  int n = 0;
  for (const SlotSpan& span : spans(sequence)) n += span.n;
  return n;
}

int SlotTable::next_position(int sequence) const {
  // EXERCISE(2.2): one more than the highest position that was stored; 0 for a sequence that is not known.
  not_implemented("2.2");
}

void SlotTable::keep(std::span<const int> rows) {
  // EXERCISE(2.3): check the step and the rows; then every other row of the latest step leaves its sequence, which goes
  // on behind its rows that stay.
  not_implemented("2.3");
}

void SlotTable::truncate(int sequence, int n_positions) {
  // EXERCISE(2.3): check the argument; then the later positions leave the sequence.
  not_implemented("2.3");
}

void SlotTable::evict(int sequence, int first, int last) {
  // EXERCISE(2.3): the positions from first to last leave the sequence.
  not_implemented("2.3");
}

void SlotTable::fork(int from, int to) {
  // EXERCISE(2.3): check that `to` holds nothing; then it holds what `from` does, and each slot has one owner more.
  not_implemented("2.3");
}

void SlotTable::free(int sequence) {
  // EXERCISE(2.3): nothing of the sequence stays.
  not_implemented("2.3");
}

void SlotTable::reset() {
  // EXERCISE(2.3): nothing of any sequence stays.
  not_implemented("2.3");
}

}  // namespace waitless
