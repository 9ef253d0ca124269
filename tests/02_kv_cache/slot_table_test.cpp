#include "slot_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/tensor/random.h"
#include "common/testing/allocation_counter.h"
#include "common/testing/refuses.h"

namespace waitless {
namespace {

/// One whole step.
void store(SlotTable& table, const Batch& batch) {
  table.begin(batch);
  table.commit();
}

/// The spans of a sequence: "slot:position" for one token, "slot:position+n" for n.
std::string picture(const SlotTable& table, int sequence) {
  std::string out;
  for (const SlotSpan& span : table.spans(sequence)) {
    out += std::to_string(span.slot) + ":" + std::to_string(span.position);
    if (span.n != 1) out += "+" + std::to_string(span.n);
    out += " ";
  }
  return out;
}

std::vector<int> slots(const SlotTable& table) { return {table.slots().begin(), table.slots().end()}; }

// Grades exercise 2.2.
TEST(SlotTable, DealsTheLowestSlotsInOrder) {
  // Oracle: by hand. Three tokens, then one; neighbours in one span.
  SlotTable table(6);
  EXPECT_EQ(table.n_slots(), 6);
  EXPECT_EQ(table.n_free(), 6);
  EXPECT_TRUE(table.slots().empty());
  table.begin(Batch::causal(0, 0, 3));
  EXPECT_EQ(slots(table), (std::vector{0, 1, 2}));
  EXPECT_EQ(table.n_free(), 3);
  table.commit();
  EXPECT_EQ(picture(table, 0), "0:0+3 ");
  store(table, Batch::causal(0, 3, 1));
  EXPECT_EQ(slots(table), (std::vector{3}));
  EXPECT_EQ(picture(table, 0), "0:0+4 ");
  EXPECT_EQ(table.n_free(), 2);
  EXPECT_EQ(table.n_stored(0), 4);
  EXPECT_EQ(table.next_position(0), 4);
}

// Grades exercise 2.2.
TEST(SlotTable, ShowsTheRowsOfAStepOnlyAfterTheCommit) {
  // Oracle: by hand. While the layers run, spans() tells what was there before.
  SlotTable table(6);
  store(table, Batch::causal(0, 0, 2));
  table.begin(Batch::causal(0, 2, 2));
  EXPECT_EQ(picture(table, 0), "0:0+2 ");
  EXPECT_EQ(table.n_free(), 2) << "the slots are dealt, though";
  table.commit();
  EXPECT_EQ(picture(table, 0), "0:0+4 ");
  table.commit();
  EXPECT_EQ(picture(table, 0), "0:0+4 ") << "nothing happens without a step";
  EXPECT_EQ(slots(table), (std::vector{2, 3})) << "the latest step can still be read";
}

// Grades exercise 2.2.
TEST(SlotTable, LeavesOutRowsThatAreNotStored) {
  // Oracle: by hand. A block between two sequences.
  SlotTable table(6);
  Batch batch = Batch::causal(3, 0, 2);
  batch.append(Batch::bidirectional_block(3, 2, 2));
  batch.append(Batch::causal(8, 5, 1));
  store(table, batch);
  EXPECT_EQ(slots(table), (std::vector{0, 1, SlotTable::kNoSlot, SlotTable::kNoSlot, 2}));
  EXPECT_EQ(picture(table, 3), "0:0+2 ");
  EXPECT_EQ(picture(table, 8), "2:5 ");
  EXPECT_EQ(picture(table, 0), "");
  EXPECT_EQ(table.n_free(), 3);
  EXPECT_EQ(table.next_position(8), 6);
  EXPECT_EQ(table.next_position(0), 0);
}

// Grades exercise 2.2.
TEST(SlotTable, KeepsTheSpansOfInterleavedSequencesApart) {
  // Oracle: by hand. Two sequences decode side by side, so that neither has two neighbouring slots.
  SlotTable table(8);
  for (int t = 0; t < 3; ++t) {
    Batch batch = Batch::causal(0, t, 1);
    batch.append(Batch::causal(1, t, 1));
    store(table, batch);
  }
  EXPECT_EQ(picture(table, 0), "0:0 2:1 4:2 ");
  EXPECT_EQ(picture(table, 1), "1:0 3:1 5:2 ");
}

// Grades exercise 2.2.
TEST(SlotTable, JoinsNeighboursOnlyIfSlotsAndPositionsGoOn) {
  // Oracle: by hand. Siblings of a tree share a position; a position is left out.
  SlotTable table(8);
  Batch tree = Batch::tree(0, 4, {Batch::kRoot, 0, 0, 2});
  tree.is_stored.assign(4, true);
  store(table, tree);
  EXPECT_EQ(picture(table, 0), "0:4+2 2:5+2 ");
  EXPECT_EQ(table.n_stored(0), 4);
  EXPECT_EQ(table.next_position(0), 7);
  store(table, Batch::causal(0, 9, 1));
  EXPECT_EQ(picture(table, 0), "0:4+2 2:5+2 4:9 ");
}

// Grades exercise 2.2.
TEST(SlotTable, LosesNothingWhenItIsFull) {
  // Oracle: invariance. The first row would fit, the second does not.
  SlotTable table(4);
  store(table, Batch::causal(0, 0, 3));
  EXPECT_TRUE(refuses_with<CacheFull>([&] { table.begin(Batch::causal(0, 3, 2)); }, {"2", "1", "4"}));
  EXPECT_EQ(table.n_free(), 1);
  table.commit();
  EXPECT_EQ(picture(table, 0), "0:0+3 ") << "no step has begun";
  store(table, Batch::causal(0, 3, 1));
  EXPECT_EQ(table.n_free(), 0);
  store(table, Batch::bidirectional_block(0, 4, 9));
  EXPECT_EQ(table.n_free(), 0) << "rows that are not stored need no slot";
}

// Grades exercise 2.2.
TEST(SlotTable, GivesUpAStepThatIsCancelled) {
  // Oracle: by hand. By cancel(), or by the next begin() where a step failed on the way.
  SlotTable table(4);
  store(table, Batch::causal(0, 0, 1));
  table.begin(Batch::causal(0, 1, 3));
  table.cancel();
  EXPECT_EQ(table.n_free(), 3);
  EXPECT_TRUE(table.slots().empty());
  table.cancel();
  EXPECT_EQ(table.n_free(), 3) << "nothing happens without a step";
  table.begin(Batch::causal(0, 1, 3));
  store(table, Batch::causal(0, 1, 2));
  EXPECT_EQ(picture(table, 0), "0:0+3 ");
  EXPECT_EQ(table.n_free(), 1);
  table.begin(Batch::causal(0, 3, 1));
  EXPECT_THROW(table.begin(Batch::causal(0, 3, 5)), CacheFull);
  table.commit();
  EXPECT_EQ(picture(table, 0), "0:0+3 ") << "the step before was cancelled all the same";
}

// Grades exercise 2.2.
TEST(SlotTable, RefusesWhatContradictsItself) {
  // Oracle: the header.
  EXPECT_TRUE(refuses_with<std::invalid_argument>([] { SlotTable(0); }, {"0"}));
  EXPECT_TRUE(refuses_with<std::invalid_argument>([] { SlotTable(-5); }, {"-5"}));
  SlotTable table(4);
  Batch batch = Batch::causal(0, 0, 2);
  batch.position[1] = -1;
  EXPECT_THROW(table.begin(batch), std::invalid_argument);
  EXPECT_EQ(table.n_free(), 4);
}

// Grades exercise 2.3.
TEST(SlotTable, TruncatesOneSequence) {
  // Oracle: by hand. Rollback: positions count, not slots, and the other sequence stays.
  SlotTable table(8);
  store(table, Batch::causal(0, 0, 4));
  store(table, Batch::causal(1, 0, 3));
  table.truncate(0, 2);
  EXPECT_EQ(picture(table, 0), "0:0+2 ");
  EXPECT_EQ(picture(table, 1), "4:0+3 ");
  EXPECT_EQ(table.n_free(), 3);
  EXPECT_EQ(table.next_position(0), 2);
  table.truncate(1, 2);
  EXPECT_EQ(picture(table, 1), "4:0+2 ");
  table.truncate(0, 100);
  EXPECT_EQ(picture(table, 0), "0:0+2 ") << "keeping more than there is changes nothing";
  table.truncate(7, 0);
  store(table, Batch::causal(0, 2, 2));
  EXPECT_EQ(picture(table, 0), "0:0+4 ") << "the lowest free slots are dealt again";
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { table.truncate(5, -3); }, {"-3", "5"}));
}

// Grades exercise 2.3.
TEST(SlotTable, EvictsPositionsFromTheMiddle) {
  // Oracle: by hand. The next position stays, the slots are dealt again.
  SlotTable table(6);
  store(table, Batch::causal(0, 0, 6));
  table.evict(0, 1, 3);
  EXPECT_EQ(picture(table, 0), "0:0 4:4+2 ");
  EXPECT_EQ(table.n_free(), 3);
  EXPECT_EQ(table.n_stored(0), 3);
  EXPECT_EQ(table.next_position(0), 6);
  table.evict(0, 1, 3);
  table.evict(0, 4, 3);
  EXPECT_EQ(table.n_free(), 3) << "nothing there, nothing to do";
  store(table, Batch::causal(0, 6, 2));
  EXPECT_EQ(picture(table, 0), "0:0 4:4+2 1:6+2 ");
  table.evict(0, 5, 7);
  EXPECT_EQ(table.next_position(0), 8) << "the text goes on behind what was evicted";
  table.truncate(0, 6);
  EXPECT_EQ(table.next_position(0), 6);
}

// Grades exercise 2.3.
TEST(SlotTable, KeepsThePathOfATreeThatIsAccepted) {
  // Oracle: by hand. Of the tree 2 -> (3 -> 4, 3', 3'') the rows 0 and 2 stay; decoding goes on at position 4.
  SlotTable table(10);
  store(table, Batch::causal(0, 0, 2));
  Batch tree = Batch::tree(0, 2, {Batch::kRoot, 0, 0, 1, 0});
  tree.is_stored.assign(5, true);
  store(table, tree);
  EXPECT_EQ(table.n_free(), 3);
  table.keep(std::vector{0, 2});
  EXPECT_EQ(picture(table, 0), "0:0+3 4:3 ");
  EXPECT_EQ(table.n_free(), 6);
  EXPECT_EQ(table.next_position(0), 4);
  EXPECT_EQ(slots(table)[1], SlotTable::kNoSlot);
  store(table, Batch::causal(0, 4, 2));
  EXPECT_EQ(picture(table, 0), "0:0+3 4:3 3:4 5:5 ");
  table.keep({});
  EXPECT_EQ(picture(table, 0), "0:0+3 4:3 ");
  EXPECT_EQ(table.next_position(0), 4) << "where it was before the step";
  table.evict(0, 2, 3);
  tree = Batch::tree(0, 4, {Batch::kRoot});
  tree.is_stored = {1};
  store(table, tree);
  table.keep({});
  EXPECT_EQ(table.next_position(0), 4) << "behind what was evicted, too";
  table.begin(tree);
  EXPECT_TRUE(table.is_open());
  EXPECT_THROW(table.keep({}), std::invalid_argument) << "the step was not committed";
  table.cancel();
  EXPECT_FALSE(table.is_open());
  EXPECT_EQ(table.n_free(), 8);
  store(table, tree);
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { table.keep(std::vector{0, 9}); }, {"9"}));
}

// Grades exercise 2.3.
TEST(SlotTable, SharesSlotsBetweenTheOwnersOfAPrefix) {
  // Oracle: by hand. Two continuations of one prompt; a slot is free when its last owner lets go.
  SlotTable table(8);
  store(table, Batch::causal(0, 0, 3));
  table.fork(0, 1);
  EXPECT_EQ(picture(table, 1), "0:0+3 ");
  EXPECT_EQ(table.n_free(), 5) << "a fork takes no slot";
  EXPECT_EQ(table.next_position(1), 3);
  Batch both = Batch::causal(0, 3, 1);
  both.append(Batch::causal(1, 3, 1));
  store(table, both);
  EXPECT_EQ(picture(table, 0), "0:0+4 ");
  EXPECT_EQ(picture(table, 1), "0:0+3 4:3 ");
  table.truncate(0, 1);
  EXPECT_EQ(table.n_free(), 4) << "of the four tokens of sequence 0 only its own one was given back";
  EXPECT_EQ(picture(table, 1), "0:0+3 4:3 ");
  table.free(1);
  EXPECT_EQ(table.n_free(), 7);
  EXPECT_EQ(picture(table, 0), "0:0 ");
  EXPECT_EQ(picture(table, 1), "");
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { table.fork(1, 0); }, {"0"}));
}

// Grades exercise 2.3.
TEST(SlotTable, CancelsAStepBeforeItChangesSequences) {
  // Oracle: the header.
  const auto open = [](SlotTable& table) {
    store(table, Batch::causal(0, 0, 2));
    table.begin(Batch::causal(0, 2, 3));
  };
  const auto check = [&](auto change, int free_after) {
    SlotTable table(8);
    open(table);
    change(table);
    table.commit();
    EXPECT_EQ(table.n_free(), free_after);
  };
  check([](SlotTable& t) { t.truncate(0, 2); }, 6);
  check([](SlotTable& t) { t.evict(0, 0, 0); }, 7);
  check([](SlotTable& t) { t.fork(0, 1); }, 6);
  check([](SlotTable& t) { t.free(0); }, 8);
  check([](SlotTable& t) { t.reset(); }, 8);
}

// Grades exercise 2.3.
TEST(SlotTable, FreesOneSequenceOrAll) {
  // Oracle: by hand.
  SlotTable table(8);
  for (const int sequence : {0, 1, 2}) store(table, Batch::causal(sequence, 0, 2));
  table.free(1);
  EXPECT_EQ(table.n_free(), 4);
  EXPECT_EQ(picture(table, 2), "4:0+2 ");
  table.reset();
  EXPECT_EQ(table.n_free(), 8);
  for (const int sequence : {0, 1, 2}) EXPECT_EQ(picture(table, sequence), "");
  store(table, Batch::causal(0, 0, 2));
  EXPECT_EQ(picture(table, 0), "0:0+2 ");
}

// Grades exercise 2.3.
TEST(SlotTable, NeverLosesASlotWhateverIsDone) {
  // Oracle: counting owners from the spans, after each of 2,000 random operations.
  Random random(3);
  const auto below = [&](int n) { return int(random.uniform() * n); };
  SlotTable table(24);
  for (int i = 0; i < 2000; ++i) {
    const int sequence = below(4);
    switch (below(7)) {
      case 0:
        table.truncate(sequence, below(8));
        break;
      case 1:
        table.evict(sequence, below(8), below(12));
        break;
      case 2:
        if (const int to = 4 + below(3); table.n_stored(to) == 0) table.fork(sequence, to);
        break;
      case 3:
        table.free(below(7));
        break;
      default:
        Batch batch = Batch::causal(sequence, table.next_position(sequence), 1 + below(4));
        if (batch.n_rows() > table.n_free()) break;
        table.begin(batch);
        if (below(4) == 0) break;  // a step that fails on the way
        table.commit();
        if (below(4) == 0) table.keep(std::vector{0});
    }
    table.cancel();
    std::vector<int> owners(24, 0);
    for (int s = 0; s < 7; ++s) {
      for (const SlotSpan& span : table.spans(s)) {
        ASSERT_GT(span.n, 0);
        for (int k = 0; k < span.n; ++k) ++owners[span.slot + k];
      }
    }
    ASSERT_EQ(table.n_free(), int(std::count(owners.begin(), owners.end(), 0))) << "after operation " << i;
  }
}

// Grades exercise 2.3.
TEST(SlotTable, AllocatesNothingWhileASequenceGrowsAndShrinks) {
  // Oracle: counting.
  if (!counts_allocations) GTEST_SKIP() << "counting allocations needs glibc without a sanitizer";
  SlotTable table(40);
  const Batch prompt = Batch::causal(0, 0, 20);
  Batch step = Batch::causal(0, 20, 1);
  const auto use = [&] {
    store(table, prompt);
    for (int position = 20; position < 40; ++position) {
      step.position[0] = step.last_visible[0] = position;
      store(table, step);
    }
    table.truncate(0, 10);
    table.truncate(0, 0);
  };
  use();
  const std::int64_t before = allocation_count();
  use();
  EXPECT_EQ(allocation_count() - before, 0);
}

}  // namespace
}  // namespace waitless
