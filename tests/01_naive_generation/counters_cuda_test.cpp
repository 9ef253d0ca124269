#include "common/model/device_batch.h"
#include "common/testing/counters_test.h"
#include "common/testing/on_device.h"
#include "common/testing/random_model.h"
#include "kernels_cuda.h"

namespace waitless {
namespace {

using simt::KernelCounters;

class CountersCuda : public CountersTest {};

// Grades exercise C1.1.
TEST_F(CountersCuda, EmbedGivesEachThreadOneElement) {
  // Oracle: by hand. A thread reads a token and an element of its row; three different tokens have 3 x 64 elements.
  const OnDevice table(random_matrix(50, 64));
  const DeviceBatch batch(Batch::causal(0, 0, std::vector{7, 3, 7, 7, 49, 3}));
  OnDevice x = OnDevice::unwritten(6, 64);
  embed_cuda(table, batch.view(), x);
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("embed_kernel");
  expect_shared_work(counted, 6 * 64, 4);
  EXPECT_EQ(counted.of(table).read.unique_bytes, 3u * 64 * 4);
  EXPECT_EQ(counted.of(x).written.unique_bytes, x.size_bytes());
  EXPECT_EQ(counted.of(x).written.sectors_per_request(), 4.0) << "neighbouring threads should write neighbours";
}

// Grades exercise C1.2.
TEST_F(CountersCuda, RmsNormGivesEachRowAWarp) {
  // Oracle: by hand. A lane has 256 / 32 = 8 columns: it reads each at most three times, its gain once, and writes it
  // once. The sum of 32 lanes takes five shuffles and no shared memory.
  const OnDevice x(random_matrix(5, 256)), gain(random_matrix(1, 256));
  OnDevice out = OnDevice::unwritten(5, 256);
  rms_norm_cuda(x, gain, 1e-5f, nullptr, out);
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("rms_norm_kernel");
  expect_shared_work(counted, 5 * 32, 8 * 5);
  EXPECT_EQ(counted.of(x).read.sectors_per_request(), 4.0) << "neighbouring lanes should read neighbours";
  EXPECT_GE(counted.warp_waits, 5u * 5) << "the lanes add up by shuffles";
  EXPECT_EQ(counted.shared.accesses, 0u) << "the lanes add up by shuffles";
  EXPECT_EQ(counted.of(out).written.unique_bytes, out.size_bytes());
}

// Grades exercise C1.3.
TEST_F(CountersCuda, RopeGivesEachThreadAPair) {
  // Oracle: by hand. A thread reads a position and two numbers, perhaps twice, and writes them.
  OnDevice x(random_matrix(6, 64));
  const DeviceBuffer<int> position(std::vector<int>{0, 1, 2, 3, 4, 5});
  rope_cuda(x, position.data(), 16, {});
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("rope_kernel");
  expect_shared_work(counted, 6 * 64 / 2, 8);
  EXPECT_EQ(counted.of(x).read.unique_bytes, x.size_bytes());
  EXPECT_EQ(counted.of(x).written.unique_bytes, x.size_bytes());
}

// Grades exercise C1.4.
TEST_F(CountersCuda, LinearGivesEachThreadOneOutput) {
  // Oracle: by hand. A thread reads 64 weights and 64 inputs and writes one output.
  const OnDevice w(random_matrix(40, 64)), x(random_matrix(3, 64));
  OnDevice out = OnDevice::unwritten(3, 40);
  linear_cuda(w, x, out);
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("linear_naive_kernel");
  expect_shared_work(counted, 3 * 40, 2 * 64 + 4);
  EXPECT_EQ(counted.of(w).read.unique_bytes, w.size_bytes());
  EXPECT_EQ(counted.of(out).written.unique_bytes, out.size_bytes());
}

// Grades exercise C1.5.
TEST_F(CountersCuda, AttentionSharesARowAndHeadAmongAThreadBlock) {
  // Oracle: by hand. 64 rows and 64 threads: a thread has one score, a dot product of 2 x 16 numbers, and one of 16
  // columns of the output, a sum over 64 rows. Alone, a thread would read 64 x 2 x 16 numbers for the scores.
  Config config;
  config.n_heads = 2;
  config.n_kv_heads = 1;
  config.head_dim = 16;
  constexpr int kRows = 64;
  const OnDevice q(random_matrix(kRows, 32)), k(random_matrix(kRows, 16)), v(random_matrix(kRows, 16));
  OnDevice out = OnDevice::unwritten(kRows, 32);
  const DeviceBatch batch(Batch::causal(0, 0, kRows));
  attention_cuda(config, q, k, v, batch.view(), out);
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("attention_naive_kernel");
  expect_shared_work(counted, kRows * 2 * 64, 2 * 16 + kRows + 64);
  EXPECT_EQ(counted.of(out).written.accesses, std::uint64_t(kRows) * 32);
  EXPECT_EQ(counted.of(k).read.unique_bytes, k.size_bytes());
  EXPECT_GE(counted.barriers, std::uint64_t(kRows) * 2 * 2) << "maximum and sum pass through shared memory";
}

// Grades exercise C1.6.
TEST_F(CountersCuda, ElementwiseKernelsGiveEachThreadOneElement) {
  // Oracle: by hand. Two reads and a write.
  const OnDevice gate(random_matrix(5, 100)), up(random_matrix(5, 100));
  OnDevice out = OnDevice::unwritten(5, 100);
  swiglu_cuda(gate, up, out);
  add_cuda(out, up);
  expect_no_copies_to_host();
  for (const char* kernel : {"swiglu_kernel", "add_kernel"}) expect_shared_work(simt::counters(kernel), 500, 3);
}

// Grades exercise C1.7.
TEST_F(CountersCuda, ArgmaxSharesARowAmongAThreadBlock) {
  // Oracle: by hand. 1024 columns are four for each of 256 threads, each read at most twice. 8 warps put down a value
  // and a column; then 4, 2, 1 and five times 1 of them compare two pairs and write one, at most 8 requests. Thread 0
  // alone would make 255 and more.
  const OnDevice x(random_matrix(3, 1024));
  DeviceBuffer<int> column(3);
  argmax_cuda(x, column.data());
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("argmax_kernel");
  expect_shared_work(counted, 3 * 256, 2 * 4 + 1);
  EXPECT_EQ(counted.of(x).read.unique_bytes, x.size_bytes());
  EXPECT_EQ(counted.of(x).read.sectors_per_request(), 4.0) << "neighbouring threads should read neighbours";
  EXPECT_EQ(counted.of(column).written.accesses, 3u);
  EXPECT_LE(counted.shared.requests, 3u * (8 * 2 + 12 * 8 + 1)) << "halve the candidates in shared memory";
}

}  // namespace
}  // namespace waitless
