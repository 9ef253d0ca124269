#include "block_sum.h"
#include "common/testing/counters_test.h"
#include "copy.h"
#include "pack_visible.h"
#include "saxpy.h"
#include "transpose.h"
#include "warp_sum.h"

namespace waitless {
namespace {

using simt::KernelCounters;

class CountersCuda : public CountersTest {};

// Grades exercise C0.1.
TEST_F(CountersCuda, SaxpyGivesEachThreadOneElement) {
  // Oracle: by hand. 1000 threads read x and y and write y, once each.
  const DeviceBuffer<float> x(std::vector<float>(1000, 1.0f));
  DeviceBuffer<float> y(std::vector<float>(1000, 2.0f));
  saxpy(3.0f, x.data(), y.data(), 1000);
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("saxpy_kernel");
  expect_shared_work(counted, 1000, 3);
  EXPECT_EQ(counted.of(x).read.unique_bytes, 4000u);
  EXPECT_EQ(counted.of(y).read.unique_bytes, 4000u);
  EXPECT_EQ(counted.of(y).written.unique_bytes, 4000u);
}

// Grades exercise C0.1.
TEST_F(CountersCuda, SaxpyLaunchesJustEnoughThreadBlocks) {
  // Oracle: by hand. n / 256, rounded up; nothing is launched for nothing.
  const DeviceBuffer<float> x(std::vector<float>(600, 1.0f));
  DeviceBuffer<float> y(std::vector<float>(600, 2.0f));
  for (const auto& [n, n_blocks] : {std::pair{0, 0u}, {1, 1u}, {255, 1u}, {256, 1u}, {257, 2u}, {512, 2u}, {513, 3u}}) {
    simt::reset_counters();
    saxpy(3.0f, x.data(), y.data(), n);
    const KernelCounters counted = simt::counters("saxpy_kernel");
    EXPECT_EQ(counted.launches, n == 0 ? 0u : 1u) << "n = " << n;
    EXPECT_EQ(counted.blocks, n_blocks) << "n = " << n;
  }
}

// Grades exercise C0.2.
TEST_F(CountersCuda, CopyingTakesEachElementOnce) {
  // Oracle: by hand. Neither 35 columns nor 13 rows fill the last thread block: a thread without an element that only
  // looks for the end of the matrix takes one of the next row, which another thread copies too.
  for (const auto& [name, copy] : {std::pair{"copy_rows_kernel", &copy_rows}, {"copy_columns_kernel", &copy_columns}}) {
    const DeviceBuffer<float> x(std::vector<float>(13 * 35, 1.0f));
    DeviceBuffer<float> y(13 * 35);
    copy(x.data(), y.data(), 13, 35, nullptr);
    const KernelCounters counted = simt::counters(name);
    EXPECT_EQ(counted.of(x).read.accesses, 13u * 35) << name;
    EXPECT_EQ(counted.of(y).written.accesses, 13u * 35) << name;
    EXPECT_EQ(counted.of(y).written.unique_bytes, y.size_bytes()) << name;
  }
}

// Grades exercise C0.2.
TEST_F(CountersCuda, CopyingRowsTakesFourSectorsARequest) {
  // Oracle: by hand. The 32 floats of a warp lie side by side: 128 bytes, four sectors of 32.
  const DeviceBuffer<float> x(std::vector<float>(64 * 96, 1.0f));
  DeviceBuffer<float> y(64 * 96);
  copy_rows(x.data(), y.data(), 64, 96);
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("copy_rows_kernel");
  expect_shared_work(counted, 64 * 96, 2);
  EXPECT_EQ(counted.of(x).read.sectors_per_request(), 4.0);
  EXPECT_EQ(counted.of(y).written.sectors_per_request(), 4.0);
  EXPECT_EQ(counted.of(y).written.unique_bytes, y.size_bytes());
}

// Grades exercise C0.2.
TEST_F(CountersCuda, CopyingColumnsTakesASectorForEachLane) {
  // Oracle: by hand. The 32 floats of a warp lie in 32 rows of 384 bytes: a sector each, of which 28 bytes are for
  // nothing.
  const DeviceBuffer<float> x(std::vector<float>(64 * 96, 1.0f));
  DeviceBuffer<float> y(64 * 96);
  copy_columns(x.data(), y.data(), 64, 96);
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("copy_columns_kernel");
  expect_shared_work(counted, 64 * 96, 2);
  EXPECT_EQ(counted.of(x).read.sectors_per_request(), 32.0);
  EXPECT_EQ(counted.of(y).written.sectors_per_request(), 32.0);
}

// Grades exercise C0.3.
TEST_F(CountersCuda, BlockSumFoldsInSharedMemory) {
  // Oracle: by hand. Each thread reads one element of x, and thread 0 writes the sum; neighbours in shared memory lie
  // in different banks. Eight steps need at least one barrier before them.
  constexpr int kBlocks = 5;
  const DeviceBuffer<float> x(std::vector<float>(kBlocks * kSumBlock, 1.0f));
  DeviceBuffer<float> sums(kBlocks);
  block_sums(x.data(), sums.data(), kBlocks * kSumBlock);
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("block_sum_kernel");
  expect_shared_work(counted, kBlocks * kSumBlock, 2);
  EXPECT_EQ(counted.of(x).read.accesses, std::uint64_t(kBlocks * kSumBlock)) << "each element is needed once";
  EXPECT_EQ(counted.of(sums).written.accesses, std::uint64_t(kBlocks));
  EXPECT_EQ(counted.shared.wavefronts_per_request(), 1.0) << "threads of a warp read different rows of one bank";
}

// Grades exercise C0.3.
TEST_F(CountersCuda, BlockSumHalvesTheThreadsInEachStep) {
  // Oracle: by hand. 256 numbers are put down, and 128 + 64 + ... + 1 = 255 of them read by those who add them to their
  // own. 8 warps put down; then 4, 2, 1 and five times 1 of them read two numbers and write one; then the sum is read:
  // 8 + 12 * 3 + 1 requests. If every second, fourth, ... thread added, all 8 warps would stay busy; thread 0 alone
  // would make 255. The steps of 128, 64 and 32 threads read what another warp has written, so a barrier comes before
  // each; threads that add to one number by atomic operations need two in all.
  constexpr int kBlocks = 5;
  const DeviceBuffer<float> x(std::vector<float>(kBlocks * kSumBlock, 1.0f));
  DeviceBuffer<float> sums(kBlocks);
  block_sums(x.data(), sums.data(), kBlocks * kSumBlock);
  const KernelCounters counted = simt::counters("block_sum_kernel");
  EXPECT_GE(counted.shared.accesses, std::uint64_t(kBlocks) * (256 + 255))
      << "are the numbers folded in shared memory?";
  EXPECT_LE(counted.shared.requests, std::uint64_t(kBlocks) * (8 + 12 * 3 + 1))
      << "the lower half of the threads adds, then the lower quarter, ...";
  EXPECT_GE(counted.barriers, std::uint64_t(kBlocks) * 3) << "are there steps, with a barrier before each?";
}

// Grades exercise C0.4.
TEST_F(CountersCuda, WarpSumTakesFiveShufflesAndNoBarrier) {
  // Oracle: by hand. 2^5 lanes.
  const DeviceBuffer<float> x(std::vector<float>(1024, 1.0f));
  DeviceBuffer<float> sums(1024);
  warp_sums(x.data(), sums.data(), 1024);
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("warp_sums_kernel");
  expect_shared_work(counted, 1024, 2);
  EXPECT_EQ(counted.warp_waits, 1024u / 32 * 5);
  EXPECT_EQ(counted.barriers, 0u);
  EXPECT_EQ(counted.shared.accesses, 0u);
}

// Grades exercise C0.5.
TEST_F(CountersCuda, TransposeReadsAndWritesAlongRows) {
  // Oracle: by hand. The 32 floats of a request lie side by side in x and in y: 4 sectors. Twice as many are let pass;
  // a kernel without a tile takes 32 for one of them.
  const DeviceBuffer<float> x(std::vector<float>(64 * 96, 1.0f));
  DeviceBuffer<float> y(64 * 96);
  transpose(x.data(), y.data(), 64, 96);
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("transpose_kernel");
  expect_shared_work(counted, 6 * 256, 8);  // 6 tiles; 4 elements a thread, read and written
  EXPECT_EQ(counted.of(x).read.accesses, 64u * 96) << "each element is needed once";
  EXPECT_EQ(counted.of(y).written.accesses, 64u * 96);
  EXPECT_EQ(counted.of(y).written.unique_bytes, y.size_bytes());
  EXPECT_LE(counted.of(x).read.sectors_per_request(), 8.0) << "neighbouring threads should read neighbours in x";
  EXPECT_LE(counted.of(y).written.sectors_per_request(), 8.0) << "neighbouring threads should write neighbours in y";
}

// Grades exercise C0.5.
TEST_F(CountersCuda, TransposeHasNoTwoLanesOnOneBank) {
  // Oracle: by hand. In rows of 33 the numbers of a column lie in 32 different banks: one wavefront a request, in
  // either direction. In rows of 32 they lie in one bank: 32 wavefronts for a column, 16.5 on average.
  const DeviceBuffer<float> x(std::vector<float>(64 * 96, 1.0f));
  DeviceBuffer<float> y(64 * 96);
  transpose(x.data(), y.data(), 64, 96);
  const KernelCounters counted = simt::counters("transpose_kernel");
  EXPECT_GE(counted.shared.accesses, 2u * 64 * 96) << "does the tile go through shared memory?";
  EXPECT_LE(counted.shared.wavefronts_per_request(), 2.0) << "the numbers of a column of the tile share a bank";
}

// Grades exercise C0.6.
TEST_F(CountersCuda, PackVisibleVotesOnce) {
  // Oracle: by hand. A lane reads a flag and an element and writes an element; lane 0 writes the number too. One vote a
  // warp; twice as many are let pass.
  const DeviceBuffer<float> x(std::vector<float>(1024, 1.0f));
  const DeviceBuffer<int> is_visible(std::vector<int>(1024, 1));
  DeviceBuffer<float> packed(1024);
  DeviceBuffer<int> n_visible(32);
  pack_visible(x.data(), is_visible.data(), packed.data(), n_visible.data(), 1024);
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("pack_visible_kernel");
  expect_shared_work(counted, 1024, 2 + 2);
  EXPECT_GE(counted.warp_waits, 1024u / 32) << "do the lanes vote?";
  EXPECT_LE(counted.warp_waits, 2 * 1024u / 32) << "one vote tells all lanes everything";
  EXPECT_EQ(counted.atomic().accesses, 0u) << "the votes say where an element goes";
  EXPECT_EQ(counted.barriers, 0u);
  EXPECT_EQ(counted.shared.accesses, 0u);
}

}  // namespace
}  // namespace waitless
