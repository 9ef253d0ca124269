#include "common/model/batch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace waitless {
namespace {

/// Who sees whom as a picture: a line for each row, # where it sees.
std::vector<std::string> picture(const Batch& batch) {
  std::vector<std::string> lines;
  for (int t = 0; t < batch.n_rows(); ++t) {
    std::string line;
    for (int s = 0; s < batch.n_rows(); ++s) line += batch.sees(t, s) ? '#' : '.';
    lines.push_back(line);
  }
  return lines;
}

// Guards the masks that all attention operators ask for.
TEST(Batch, CausalRowsSeeThemselvesAndEverythingBefore) {
  // Oracle: by hand.
  EXPECT_EQ(picture(Batch::causal(0, 7, 3)), (std::vector<std::string>{"#..", "##.", "###"}));
}

// Guards the masks that all attention operators ask for.
TEST(Batch, RowsOfAPrefixSeeTheWholePrefix) {
  // Oracle: by hand.
  EXPECT_EQ(picture(Batch::prefix_causal(0, 0, 4, 2)), (std::vector<std::string>{"##..", "##..", "###.", "####"}));
}

// Guards the masks that all attention operators ask for.
TEST(Batch, RowsOfABlockSeeEachOtherAndWhatCameBefore) {
  // Oracle: by hand.
  Batch batch = Batch::causal(0, 0, 2);
  batch.append(Batch::bidirectional_block(0, 2, 2));
  EXPECT_EQ(picture(batch), (std::vector<std::string>{"#...", "##..", "####", "####"}));
}

// Guards the masks that all attention operators ask for.
TEST(Batch, RowsOfATreeSeeTheirAncestorsAndTheSequence) {
  // Oracle: by hand. Prompt of one token, then a -> (b -> c, d), and a second root e.
  Batch batch = Batch::causal(0, 0, 1);
  batch.append(Batch::tree(0, 1, {Batch::kRoot, 0, 1, 0, Batch::kRoot}));
  EXPECT_EQ(picture(batch), (std::vector<std::string>{"#.....", "##....", "###...", "####..", "##..#.", "#....#"}));
  EXPECT_EQ(batch.position, (std::vector<int>{0, 1, 2, 3, 2, 1}));
}

// Guards the masks that all attention operators ask for.
TEST(Batch, SequencesDoNotSeeEachOther) {
  // Oracle: by hand. A tree of another sequence between them, and rows appended after a tree.
  Batch batch = Batch::causal(0, 0, 2);
  batch.append(Batch::tree(1, 5, {Batch::kRoot, Batch::kRoot}));
  batch.append(Batch::causal(0, 2, 1));
  EXPECT_EQ(picture(batch), (std::vector<std::string>{"#....", "##...", "..#..", "...#.", "##..#"}));
}

// Guards what a cache may show to a row.
TEST(Batch, ACachedTokenIsSeenUpToTheHorizon) {
  // Oracle: by hand.
  const Batch block = Batch::bidirectional_block(3, 4, 2);
  EXPECT_TRUE(block.sees_cached(0, 3, 5));
  EXPECT_FALSE(block.sees_cached(0, 3, 6));
  EXPECT_FALSE(block.sees_cached(0, 2, 0));
}

// Guards the bookkeeping of append().
TEST(Batch, AppendShiftsParentsAndLogitRows) {
  // Oracle: by hand.
  Batch batch = Batch::tree(0, 0, {Batch::kRoot, 0});
  batch.append(Batch::tree(1, 0, {Batch::kRoot, 0}));
  batch.append(Batch::causal(2, 0, 2));
  EXPECT_EQ(batch.parent, (std::vector<int>{Batch::kRoot, 0, Batch::kRoot, 2, Batch::kNoTree, Batch::kNoTree}));
  EXPECT_EQ(batch.logit_rows, (std::vector<int>{0, 1, 2, 3, 5}));
  EXPECT_NO_THROW(batch.check());
}

// Guards against batches that contradict themselves.
TEST(Batch, CheckNamesTheRowThatIsWrong) {
  // Oracle: the header.
  const auto complaint = [](auto spoil) {
    Batch batch = Batch::causal(0, 0, 3);
    spoil(batch);
    try {
      batch.check();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(complaint([](Batch& b) { b.position[1] = -1; }), "batch row 1: its position -1 is negative");
  EXPECT_EQ(complaint([](Batch& b) { b.slot[2] = -2; }), "batch row 2: its slot -2 is negative");
  EXPECT_EQ(complaint([](Batch& b) { b.horizon[1] = 0; }), "batch row 1: it cannot see itself");
  EXPECT_EQ(complaint([](Batch& b) {
              b.parent = {Batch::kRoot, 1, 0};
            }),
            "batch row 1: its parent 1 does not come before it");
  EXPECT_EQ(complaint([](Batch& b) { b.logit_rows = {3}; }), "batch: logit row 3 is outside its 3 rows");
  EXPECT_EQ(complaint([](Batch& b) { b.slot.pop_back(); }),
            "batch: sequence, position, slot, horizon and parent differ in length");
  EXPECT_THROW(Batch::tree(0, 0, {0}), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
