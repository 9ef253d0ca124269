#pragma once

#include <memory>
#include <span>
#include <stdexcept>

#include "common/model/batch.h"
#include "common/model/slot_span.h"

namespace waitless {

/// There is no room for the rows of a batch. Nothing was stored; free some slots and try again.
class CacheFull : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Which slot of a cache holds which token: the bookkeeping of a KV cache, without any keys and values.
///
/// A slot holds one token, which may belong to several sequences (after fork()); slots and positions are different
/// things. A step goes begin() - the layers store keys and values in slots() - commit(). Until the commit the rows of
/// the step have their slots, but belong to no sequence: spans() tells what was there before.
///
/// Invariants: n_free() and the slots that hold a token or wait for the commit add up to n_slots(); a slot is free as
/// soon as no sequence holds its token; what is asked of one sequence costs no more when there are others. begin(),
/// commit() and truncate() allocate nothing once a batch has been as large and a sequence as long.
class SlotTable {
 public:
  static constexpr int kNoSlot = -1;  // of a row that is not stored

  /// @throws std::invalid_argument naming n_slots unless n_slots >= 1
  explicit SlotTable(int n_slots);
  ~SlotTable();

  int n_slots() const;
  int n_free() const;

  // A step.

  /// Deals a free slot to each row of the batch that is to be stored, in order, the lowest ones first. A step that was
  /// not committed is cancelled first, even if this one is refused.
  /// @throws CacheFull if there are fewer free slots than such rows, naming both numbers and n_slots(); then no slot
  ///         is dealt, and no step has begun
  /// @throws std::invalid_argument as Batch::check(); no step has begun then
  void begin(const Batch& batch);

  /// The slot of each row of the latest step, [T]; kNoSlot for rows that are not stored, and for those that keep() has
  /// dropped. The commit leaves it as it is. Empty before the first step, and after a step that was cancelled.
  std::span<const int> slots() const;

  /// Whether a step has begun that was neither committed nor cancelled.
  bool is_open() const;

  /// The rows of the step now belong to their sequences. Nothing happens if no step is under way.
  void commit();

  /// Gives the slots of the step back; slots() is empty afterwards. Nothing happens if no step is under way.
  void cancel();

  /// Of the rows of the latest step only `rows` stay; the others leave their sequences (a draft tree, of which one path
  /// is accepted). The next position of a sequence that lost rows follows its rows that stay; if none does, it is what
  /// it was before the step. Call it after commit() and before anything else changes.
  /// @param rows in any order; there may be none
  /// @throws std::invalid_argument naming the row if the step had none with this number; if the step was not committed
  void keep(std::span<const int> rows);

  // Sequences.

  /// Where the tokens of a sequence lie, in the order in which they were stored: as few spans as possible, each of
  /// consecutive positions in consecutive slots. None for a sequence that is not known. Valid until the table changes.
  std::span<const SlotSpan> spans(int sequence) const;

  /// How many tokens of a sequence are stored.
  int n_stored(int sequence) const;

  /// The position of the token that comes next: one more than the highest that was stored. 0 for a sequence that has
  /// not begun. evict() leaves it as it is; truncate() and keep() take it back.
  int next_position(int sequence) const;

  // What follows changes sequences, and first cancels a step that was not committed.

  /// Keeps the positions before n_positions and frees the others (rollback). The next position becomes n_positions if
  /// it was beyond; keeping more than there is changes nothing.
  /// @throws std::invalid_argument naming n_positions and the sequence if n_positions is negative
  void truncate(int sequence, int n_positions);

  /// Frees the positions first .. last, both included, wherever there are any; the others stay where they are. Nothing
  /// if last < first.
  void evict(int sequence, int first, int last);

  /// `to` becomes a second owner of everything that `from` holds, and goes on at the same position (beam search, a
  /// shared prompt). No slot is taken. What either adds or frees later does not touch the other.
  /// @throws std::invalid_argument naming `to` if it holds anything already
  void fork(int from, int to);

  /// Frees all positions of a sequence, or of all sequences, which then have not begun.
  void free(int sequence);
  void reset();

 private:
  struct State;  // what has to be remembered is for slot_table.cpp to say
  std::unique_ptr<State> state_;
};

}  // namespace waitless
