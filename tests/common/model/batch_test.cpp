#include "common/model/batch.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/testing/allocation_counter.h"

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
TEST(Batch, ACachedTokenIsSeenUpToTheLastVisiblePosition) {
  // Oracle: by hand.
  const Batch block = Batch::bidirectional_block(3, 4, 2);
  EXPECT_TRUE(block.sees_cached(0, 3, 5));
  EXPECT_FALSE(block.sees_cached(0, 3, 6));
  EXPECT_FALSE(block.sees_cached(0, 2, 0));
}

// Guards the masks that all attention operators ask for.
TEST(Batch, RowsBehindGistsSeeTheGistsButNotThePrompt) {
  // Oracle: by hand. Two tokens of a prompt, a gist that reads them, two tokens that see the gist only (chapter 09).
  Batch batch = Batch::causal(0, 0, 5);
  for (const int t : {3, 4}) batch.first_visible[t] = 2;
  EXPECT_EQ(picture(batch), (std::vector<std::string>{"#....", "##...", "###..", "..##.", "..###"}));
  EXPECT_FALSE(batch.sees_cached(4, 0, 1));
  EXPECT_TRUE(batch.sees_cached(4, 0, 2));
}

// Guards the masks that all attention operators ask for.
TEST(Batch, BothHalvesOfBlockDiffusionTrainingAreSaid) {
  // Oracle: the mask of the paper, by brute force: with blocks of 2, a noised token sees the noised tokens of its block
  // and the clean ones of earlier blocks; a clean one sees the clean ones up to the end of its block (chapter 07).
  const int T = 6, block = 2, kNoised = 0, kClean = 1;
  Batch batch;
  for (int first = 0; first < T; first += block) batch.add_bidirectional_block(kNoised, first, block);
  for (int first = 0; first < T; first += block) batch.add_bidirectional_block(kClean, first, block);
  batch.context.resize(2 * T);
  for (int t = 0; t < T; ++t) {
    batch.first_visible[t] = t / block * block;
    batch.context[t] = {kClean, 0, t / block * block - 1};
  }
  batch.check();
  for (int t = 0; t < 2 * T; ++t) {
    for (int s = 0; s < 2 * T; ++s) {
      const bool t_is_noised = t < T, s_is_noised = s < T;
      const int block_of_t = t % T / block, block_of_s = s % T / block;
      const bool expected =
          (t_is_noised == s_is_noised && block_of_t == block_of_s) || (!s_is_noised && block_of_s < block_of_t);
      EXPECT_EQ(batch.sees(t, s), expected) << "row " << t << ", row " << s;
    }
  }
}

// Guards the masks that all attention operators ask for.
TEST(Batch, ARowMaySeeAnIntervalOfAnotherSequence) {
  // Oracle: by hand. Rows of sequence 1 that read positions 1 and 2 of sequence 0, and nothing the other way round.
  Batch batch = Batch::causal(0, 0, 4);
  batch.add_causal(1, 7, 2);
  batch.context.resize(6);
  batch.context[4] = batch.context[5] = {0, 1, 2};
  EXPECT_EQ(picture(batch), (std::vector<std::string>{"#.....", "##....", "###...", "####..", ".##.#.", ".##.##"}));
  EXPECT_TRUE(batch.sees_cached(4, 0, 1));
  EXPECT_FALSE(batch.sees_cached(4, 0, 3));
  batch.add_causal(0, 4, 1);
  EXPECT_EQ(picture(batch).back(), "####..#") << "a row without a context of its own";
}

// Guards that a batch is filled again for each step.
TEST(Batch, IsFilledAgainWithoutAllocating) {
  // Oracle: counting. Rows of all kinds, with tokens.
  if (!counts_allocations) GTEST_SKIP() << "counting allocations needs glibc without a sanitizer";
  const std::vector<int> tokens = {4, 5, 6}, parents = {Batch::kRoot, 0, 0};
  Batch batch;
  const auto fill = [&] {
    batch.clear();
    batch.add_causal(0, 7, tokens);
    batch.add_tree(1, 3, tokens, parents);
    batch.add_bidirectional_block(2, 0, tokens);
    batch.add_prefix_causal(3, 0, tokens, 2);
  };
  fill();
  const std::int64_t before = allocation_count();
  fill();
  EXPECT_EQ(allocation_count() - before, 0);
  EXPECT_EQ(batch.token, (std::vector<int>{4, 5, 6, 4, 5, 6, 4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(batch.logit_rows, (std::vector<int>{2, 3, 4, 5, 6, 7, 8, 11}));
  EXPECT_EQ(batch.parent, (std::vector<int>{-2, -2, -2, -1, 3, 3, -2, -2, -2, -2, -2, -2}));
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
  EXPECT_EQ(complaint([](Batch& b) { b.last_visible[1] = 0; }), "batch row 1: it cannot see itself");
  EXPECT_EQ(complaint([](Batch& b) { b.first_visible[1] = 2; }), "batch row 1: it cannot see itself");
  EXPECT_EQ(complaint([](Batch& b) {
              b.parent = {Batch::kRoot, 1, 0};
            }),
            "batch row 1: its parent 1 does not come before it");
  EXPECT_EQ(complaint([](Batch& b) { b.logit_rows = {3}; }), "batch: logit row 3 is outside its 3 rows");
  EXPECT_EQ(complaint([](Batch& b) { b.is_stored.pop_back(); }),
            "batch: sequence, position, first_visible, last_visible and is_stored differ in length");
  EXPECT_EQ(complaint([](Batch& b) {
              b.token = {1, 2};
            }),
            "batch: token, parent and context must have an entry for each row, or none");
  EXPECT_THROW(Batch::tree(0, 0, {0}), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
