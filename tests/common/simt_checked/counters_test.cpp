#include "common/simt/counters.h"

#include <gtest/gtest.h>

#include <numeric>

#include "common/cuda/device_buffer.h"
#include "common/cuda/half.h"
#include "tests/common/simt_checked/counted_kernels.h"
#include "tests/common/simt_checked/finding.h"

namespace waitless::simt_test {
namespace {

using simt::BufferCounters;
using simt::KernelCounters;

/// Runs each test in every order: the counters must not depend on it.
class Counters : public ::testing::TestWithParam<simt::Settings> {
 protected:
  void SetUp() override { simt::reset_counters(); }
  InOrder in_order_{GetParam()};
};

std::string order_name(const ::testing::TestParamInfo<simt::Settings>& info) {
  return (info.param.order == simt::ThreadOrder::kForward   ? "forward"
          : info.param.order == simt::ThreadOrder::kReverse ? "reverse"
                                                            : "random") +
         std::to_string(info.param.seed) + "_" + std::to_string(info.param.n_workers);
}

std::vector<simt::Settings> orders_and_workers() {
  std::vector<simt::Settings> settings = all_orders();
  for (const int n_workers : {2, 8}) settings.push_back({n_workers, simt::ThreadOrder::kForward, 0});
  return settings;
}

INSTANTIATE_TEST_SUITE_P(Simt, Counters, ::testing::ValuesIn(orders_and_workers()), order_name);

DeviceBuffer<float> numbers(int n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  return DeviceBuffer<float>(values);
}

// Guards sectors of a coalesced copy.
TEST_P(Counters, ACoalescedCopyTakesFourSectorsARequest) {
  // By hand: 4096 threads are 128 warps; 32 lanes of 4 bytes fill 128 bytes, 4 sectors of 32.
  const DeviceBuffer<float> x = numbers(4096);
  DeviceBuffer<float> y(4096);
  copy(y.data(), x.data(), 4096);
  const KernelCounters all = simt::counters("copy_kernel");
  for (const simt::MemoryTraffic& traffic : {all.of(x).read, all.of(y).written}) {
    EXPECT_EQ(traffic.accesses, 4096u);
    EXPECT_EQ(traffic.requests, 128u);
    EXPECT_EQ(traffic.sectors, 512u);
    EXPECT_EQ(traffic.bytes, 16384u);
    EXPECT_EQ(traffic.unique_bytes, 16384u);
    EXPECT_EQ(traffic.sectors_per_request(), 4.0);
  }
  EXPECT_EQ(all.of(x).written.requests, 0u);
  EXPECT_EQ(all.of(y).read.requests, 0u);
  EXPECT_EQ(all.launches, 1u);
  EXPECT_EQ(all.blocks, 16u);
  EXPECT_EQ(all.threads, 4096u);
  EXPECT_EQ(all.active_threads, 4096u);
  EXPECT_EQ(all.most_accesses_by_one, 2u);
  EXPECT_EQ(all.barriers, 0u);
  EXPECT_EQ(all.shared.requests, 0u);
}

// Guards the last warp, which is not full.
TEST_P(Counters, ATailTakesFewerSectors) {
  // By hand: 1001 elements are 31 full warps and one of 9 lanes: 36 bytes, 2 sectors. 1024 threads, 23 idle.
  const DeviceBuffer<float> x = numbers(1001);
  DeviceBuffer<float> y(1001);
  copy(y.data(), x.data(), 1001);
  const KernelCounters all = simt::counters("copy_kernel");
  EXPECT_EQ(all.of(x).read.requests, 32u);
  EXPECT_EQ(all.of(x).read.sectors, 31u * 4 + 2);
  EXPECT_EQ(all.threads, 1024u);
  EXPECT_EQ(all.active_threads, 1001u);
}

// Guards requests that start in the middle of a sector.
TEST_P(Counters, AMisalignedCopyTakesFiveSectorsARequest) {
  // By hand: 128 bytes that start at byte 4 of a sector touch 5.
  const DeviceBuffer<float> x = numbers(4097);
  DeviceBuffer<float> y(4096);
  copy_shifted(y.data(), x.data(), 4096, 1);
  EXPECT_EQ(simt::counters("copy_shifted_kernel").of(x).read.sectors, 128u * 5);
  EXPECT_EQ(simt::counters("copy_shifted_kernel").of(y).written.sectors, 128u * 4);
}

// Guards strided requests.
TEST_P(Counters, AStrideSpreadsARequestOverSectors) {
  // By hand: with stride s, 32 lanes span 128 s bytes, which are 4 s sectors up to one a lane.
  for (const int stride : {2, 4, 8, 32}) {
    simt::reset_counters();
    const DeviceBuffer<float> x = numbers(256 * stride);
    DeviceBuffer<float> y(256);
    copy_strided(y.data(), x.data(), 256, stride);
    const BufferCounters read = simt::counters("copy_strided_kernel").of(x);
    EXPECT_EQ(read.read.sectors_per_request(), std::min(4.0 * stride, 32.0)) << stride;
    EXPECT_EQ(read.read.unique_bytes, 1024u);
  }
}

// Guards vector types: one request of 16 bytes a lane.
TEST_P(Counters, VectorLoadsAreOneRequest) {
  // By hand: 4096 floats are 1024 float4 or 32 requests of 512 bytes: 16 sectors. float2: 64 requests of 8 sectors.
  const DeviceBuffer<float> x = numbers(4096);
  DeviceBuffer<float> y(4096);
  copy_vectors(y.data(), x.data(), 4096);
  copy_pairs(y.data(), x.data(), 4096);
  const KernelCounters vectors = simt::counters("copy_vectors_kernel"), pairs = simt::counters("copy_pairs_kernel");
  for (const simt::MemoryTraffic& traffic : {vectors.of(x).read, vectors.of(y).written}) {
    EXPECT_EQ(traffic.requests, 32u);
    EXPECT_EQ(traffic.sectors, 512u);
    EXPECT_EQ(traffic.unique_bytes, 16384u);
  }
  for (const simt::MemoryTraffic& traffic : {pairs.of(x).read, pairs.of(y).written}) {
    EXPECT_EQ(traffic.requests, 64u);
    EXPECT_EQ(traffic.sectors, 512u);
  }
}

// Guards small and large elements.
TEST_P(Counters, BytesAndDoublesTakeTheirSectors) {
  // By hand: a warp of bytes is one sector, of doubles 8.
  const DeviceBuffer<unsigned char> bytes(std::vector<unsigned char>(1024, 7));
  DeviceBuffer<unsigned char> byte_copies(1024);
  copy_bytes(byte_copies.data(), bytes.data(), 1024);
  const DeviceBuffer<double> doubles(std::vector<double>(1024, 7.0));
  DeviceBuffer<double> double_copies(1024);
  copy_doubles(double_copies.data(), doubles.data(), 1024);
  EXPECT_EQ(simt::counters("copy_bytes_kernel").of(bytes).read.sectors, 32u);
  EXPECT_EQ(simt::counters("copy_bytes_kernel").of(byte_copies).written.unique_bytes, 1024u);
  EXPECT_EQ(simt::counters("copy_doubles_kernel").of(doubles).read.sectors, 256u);
  EXPECT_EQ(simt::counters("copy_doubles_kernel").of(double_copies).written.unique_bytes, 8192u);
}

// Guards against kernels in which one thread does everything.
TEST_P(Counters, OneThreadMakesARequestForEachElement) {
  // By hand: 2048 requests of one lane and one sector; 2047 threads idle.
  const DeviceBuffer<float> x = numbers(2048);
  DeviceBuffer<float> y(2048);
  copy_by_one_thread(y.data(), x.data(), 2048);
  const KernelCounters all = simt::counters("copy_by_one_thread_kernel");
  EXPECT_EQ(all.of(x).read.requests, 2048u);
  EXPECT_EQ(all.of(x).read.sectors, 2048u);
  EXPECT_EQ(all.of(x).read.unique_bytes, 8192u);
  EXPECT_EQ(all.threads, 2048u);
  EXPECT_EQ(all.active_threads, 1u);
  EXPECT_EQ(all.most_accesses_by_one, 4096u);
}

// Guards requests of all lanes for one address.
TEST_P(Counters, ABroadcastIsOneSector) {
  const DeviceBuffer<float> x = numbers(8);
  DeviceBuffer<float> y(1024);
  broadcast(y.data(), x.data(), 1024);
  const simt::MemoryTraffic read = simt::counters("broadcast_kernel").of(x).read;
  EXPECT_EQ(read.requests, 32u);
  EXPECT_EQ(read.sectors, 32u);
  EXPECT_EQ(read.bytes, 4096u);
  EXPECT_EQ(read.unique_bytes, 4u);
}

// Guards data-dependent addresses.
TEST_P(Counters, AGatherCountsTheSectorsItTouches) {
  // By hand: lane l of each warp reads element 8 (l % 4): 4 sectors. The indices themselves are coalesced.
  std::vector<int> indices(256);
  for (int i = 0; i < 256; ++i) indices[i] = 8 * (i % 4);
  const DeviceBuffer<int> index(indices);
  const DeviceBuffer<float> x = numbers(32);
  DeviceBuffer<float> y(256);
  gather(y.data(), x.data(), index.data(), 256);
  const KernelCounters all = simt::counters("gather_kernel");
  EXPECT_EQ(all.of(x).read.sectors, 8u * 4);
  EXPECT_EQ(all.of(x).read.unique_bytes, 16u);
  EXPECT_EQ(all.of(index).read.sectors, 8u * 4);
  EXPECT_EQ(all.read().requests, 16u);
}

// Guards atomic operations.
TEST_P(Counters, AtomicOperationsAreCountedApart) {
  const DeviceBuffer<int> x(std::vector<int>(1000, 1));
  DeviceBuffer<int> sum(std::vector<int>(1, 0));
  sum_atomically(sum.data(), x.data(), 1000);
  const KernelCounters all = simt::counters("sum_atomically_kernel");
  EXPECT_EQ(sum.to_host()[0], 1000);
  EXPECT_EQ(all.of(sum).atomic.accesses, 1000u);
  EXPECT_EQ(all.of(sum).atomic.requests, 32u);
  EXPECT_EQ(all.of(sum).atomic.unique_bytes, 4u);
  EXPECT_EQ(all.of(sum).read.accesses, 0u);
  EXPECT_EQ(all.of(x).read.accesses, 1000u);
}

// Guards unique bytes: what is read again and again counts once.
TEST_P(Counters, EveryRowReadsTheGainAgain) {
  // By hand: 32 rows of 256: x is read twice, 16 requests a row; the gain is requested 32 times, and is 1024 bytes.
  // Barriers: one after the partial sums, six in the reduction.
  const DeviceBuffer<float> x = numbers(32 * 256), gain = numbers(256);
  DeviceBuffer<float> y(32 * 256);
  rms_norm_rows(y.data(), x.data(), gain.data(), 32, 256);
  const KernelCounters all = simt::counters("rms_norm_rows_kernel");
  EXPECT_EQ(all.of(x).read.unique_bytes, 32768u);
  EXPECT_EQ(all.of(x).read.requests, 32u * 16);
  EXPECT_EQ(all.of(gain).read.bytes, 32768u);
  EXPECT_EQ(all.of(gain).read.unique_bytes, 1024u);
  EXPECT_EQ(all.of(y).written.unique_bytes, 32768u);
  EXPECT_EQ(all.barriers, 32u * 7);
  EXPECT_EQ(all.declared_flops, 4.0 * 32 * 256);
}

// Guards bank conflicts.
TEST_P(Counters, AColumnOfATileIsInOneBankWithoutPadding) {
  // By hand: 64 x 64 are 4 tiles of 32 warps' requests to write and 32 to read. Writes take one wavefront; reads of a
  // column 32, or one if rows are 33 words apart.
  const DeviceBuffer<float> x = numbers(64 * 64);
  DeviceBuffer<float> y(64 * 64);
  transpose(y.data(), x.data(), 64, false);
  KernelCounters all = simt::counters("transpose_kernel");
  EXPECT_EQ(all.shared.requests, 4u * 64);
  EXPECT_EQ(all.shared.wavefronts, 4u * (32 + 32 * 32));
  EXPECT_EQ(all.shared.wavefronts_per_request(), 16.5);
  EXPECT_EQ(all.of(x).read.sectors_per_request(), 4.0);
  EXPECT_EQ(all.of(y).written.sectors_per_request(), 4.0);
  simt::reset_counters();
  transpose(y.data(), x.data(), 64, true);
  all = simt::counters("transpose_kernel");
  EXPECT_EQ(all.shared.wavefronts_per_request(), 1.0);
}

// Guards the strides of shared memory.
TEST_P(Counters, StridesInSharedMemoryShareBanks) {
  // By hand: with stride s, gcd(s, 32) lanes share a bank.
  DeviceBuffer<float> y(32);
  for (const auto& [stride, wavefronts] :
       {std::pair{1, 1}, {2, 2}, {3, 1}, {4, 4}, {8, 8}, {16, 16}, {32, 32}, {33, 1}}) {
    simt::reset_counters();
    shared_strided(y.data(), stride);
    const KernelCounters all = simt::counters("shared_strided_kernel");
    EXPECT_EQ(all.shared.requests, 2u);
    EXPECT_EQ(all.shared.wavefronts, 2u * wavefronts) << stride;
  }
}

// Guards 8 and 16 bytes a lane in shared memory.
TEST_P(Counters, WideSharedRequestsTakeSeveralWavefronts) {
  // By hand: 32 banks serve 128 bytes at a time; 32 lanes of 16 bytes are 4 such pieces, of 8 bytes 2.
  DeviceBuffer<float> y(128);
  DeviceBuffer<double> d(32);
  shared_vectors(y.data());
  shared_doubles(d.data());
  EXPECT_EQ(simt::counters("shared_vectors_kernel").shared.wavefronts_per_request(), 4.0);
  EXPECT_EQ(simt::counters("shared_doubles_kernel").shared.wavefronts_per_request(), 2.0);
}

// Guards the traffic of tiled multiplication against that of the naive one.
TEST_P(Counters, TilesReadEachMatrixOnceATile) {
  // By hand, n = 64: 4 x 4 tiles, each of 4 steps that read 256 numbers of a and of b. A warp is two rows of a tile, 16
  // numbers each: 2 sectors twice. Naive: each of 4096 threads reads 64 numbers of a and of b; a warp reads two numbers
  // of a (2 sectors) and 16 of b (2 sectors).
  const DeviceBuffer<float> a = numbers(64 * 64), b = numbers(64 * 64);
  DeviceBuffer<float> c(64 * 64);
  tiled_multiply(c.data(), a.data(), b.data(), 64);
  naive_multiply(c.data(), a.data(), b.data(), 64);
  const KernelCounters tiled = simt::counters("tiled_multiply_kernel"), naive = simt::counters("naive_multiply_kernel");
  EXPECT_EQ(tiled.of(a).read.accesses, 16u * 4 * 256);
  EXPECT_EQ(tiled.of(a).read.sectors_per_request(), 4.0);
  EXPECT_EQ(tiled.of(b).read.sectors_per_request(), 4.0);
  EXPECT_EQ(tiled.of(b).read.unique_bytes, 16384u);
  EXPECT_EQ(tiled.barriers, 16u * 8);
  // Per step and warp: 2 writes, then 16 times a broadcast of two numbers of a and a row of b.
  EXPECT_EQ(tiled.shared.requests, 16u * 4 * 8 * (2 + 32));
  EXPECT_EQ(tiled.shared.wavefronts_per_request(), 1.0);
  EXPECT_EQ(naive.of(a).read.accesses, 4096u * 64);
  EXPECT_EQ(naive.of(a).read.sectors_per_request(), 2.0);
  EXPECT_EQ(naive.of(b).read.sectors_per_request(), 2.0);
  EXPECT_EQ(naive.of(c).written.requests, 128u);
  EXPECT_EQ(naive.shared.requests, 0u);
}

// Guards barriers, and requests of lanes that leave a loop.
TEST_P(Counters, AReductionHalvesItsLanes) {
  // By hand, 2 blocks of 256: 8 warps write; then in rounds of 128, 64, 32 lanes 4, 2, 1 warps, and in five more rounds
  // one warp, make two reads and a write each; then thread 0 reads. Barriers: 1 + 8.
  const DeviceBuffer<float> x = numbers(512);
  DeviceBuffer<float> sums(2);
  block_sums(sums.data(), x.data(), 512);
  const KernelCounters all = simt::counters("block_sums_kernel");
  EXPECT_EQ(all.barriers, 2u * 9);
  EXPECT_EQ(all.shared.requests, 2u * (8 + 3 * (4 + 2 + 1 + 5) + 1));
  EXPECT_EQ(all.shared.wavefronts_per_request(), 1.0);
  EXPECT_EQ(all.of(sums).written.requests, 2u);
  EXPECT_EQ(sums.to_host()[0], 255.0f * 128);
}

// Guards shuffles.
TEST_P(Counters, AWarpSumNeedsNoBarrier) {
  // By hand: 16 warps, 5 shuffles each.
  const DeviceBuffer<float> x = numbers(512);
  DeviceBuffer<float> sums(16);
  warp_sums(sums.data(), x.data(), 512);
  const KernelCounters all = simt::counters("warp_sums_kernel");
  EXPECT_EQ(all.barriers, 0u);
  EXPECT_EQ(all.warp_waits, 16u * 5);
  EXPECT_EQ(all.shared.requests, 0u);
  EXPECT_EQ(all.of(sums).written.requests, 16u);
}

// Guards active threads.
TEST_P(Counters, IdleThreadsAreNotActive) {
  // By hand: every other lane of 32 warps: the same 4 sectors for half of the bytes.
  const DeviceBuffer<float> x = numbers(1024);
  DeviceBuffer<float> y(1024);
  half_idle(y.data(), x.data(), 1024);
  const KernelCounters all = simt::counters("half_idle_kernel");
  EXPECT_EQ(all.active_threads, 512u);
  EXPECT_EQ(all.of(x).read.sectors_per_request(), 4.0);
  EXPECT_EQ(all.of(x).read.unique_bytes, 2048u);
}

// Guards 16-bit numbers.
TEST_P(Counters, HalvesTakeHalfTheSectors) {
  const DeviceBuffer<half_t> x(std::vector<half_t>(1024, half_t(1.5f)));
  DeviceBuffer<float> y(1024);
  read_halves(y.data(), x.data(), 1024);
  const KernelCounters all = simt::counters("read_halves_kernel");
  EXPECT_EQ(all.of(x).read.accesses, 1024u);
  EXPECT_EQ(all.of(x).read.sectors_per_request(), 2.0);
  EXPECT_EQ(all.of(x).read.unique_bytes, 2048u);
}

// Guards one instruction that accesses two buffers, one after the other.
TEST_P(Counters, AnInstructionMayServeTwoBuffers) {
  DeviceBuffer<float> x = numbers(32), y = numbers(32);
  call_twice(y.data(), x.data());
  const KernelCounters all = simt::counters("call_twice_kernel");
  for (const DeviceBuffer<float>* buffer : {&x, &y}) {
    EXPECT_EQ(all.of(*buffer).read.requests, 1u);
    EXPECT_EQ(all.of(*buffer).read.sectors, 4u);
    EXPECT_EQ(all.of(*buffer).written.sectors, 4u);
  }
}

// Guards sums over launches.
TEST_P(Counters, LaunchesAddUpUntilTheyAreReset) {
  const DeviceBuffer<float> x = numbers(256);
  DeviceBuffer<float> y(256), z(256);
  copy(y.data(), x.data(), 256);
  copy(z.data(), x.data(), 256);
  const KernelCounters all = simt::counters("copy_kernel");
  EXPECT_EQ(all.launches, 2u);
  EXPECT_EQ(all.of(x).read.unique_bytes, 2048u);
  EXPECT_EQ(all.of(y).written.unique_bytes, 1024u);
  EXPECT_EQ(all.written().unique_bytes, 2048u);
  simt::reset_counters();
  EXPECT_EQ(simt::counters("copy_kernel").launches, 0u);
  EXPECT_TRUE(simt::all_counters().empty());
}

// Guards against a host that does the work.
TEST_P(Counters, CopiesAreCounted) {
  DeviceBuffer<float> x(std::vector<float>(100));
  x.fill_bytes(0);
  EXPECT_EQ(x.to_host()[99], 0.0f);
  const simt::CopyCounters copies = simt::copy_counters();
  EXPECT_EQ(copies.to_device, 1u);
  EXPECT_EQ(copies.to_device_bytes, 400u);
  EXPECT_EQ(copies.to_host, 1u);
  EXPECT_EQ(copies.to_host_bytes, 400u);
  EXPECT_EQ(copies.fills, 1u);
  EXPECT_EQ(copies.filled_bytes, 400u);
}

// Guards against work that does not wait for the stream that it was meant for.
TEST_P(Counters, WorkIsCountedByStream) {
  const DeviceBuffer<float> x = numbers(256);
  DeviceBuffer<float> y(256);
  cudaStream_t stream;
  cuda_check(cudaStreamCreate(&stream));
  simt::reset_counters();
  copy(y.data(), x.data(), 256);
  cuda_check(cudaMemcpyAsync(y.data(), x.data(), 4, cudaMemcpyDeviceToDevice, stream));
  cuda_check(cudaMemsetAsync(y.data(), 0, 4, stream));
  EXPECT_EQ(simt::stream_counters(nullptr).launches, 1u);
  EXPECT_EQ(simt::stream_counters(nullptr).copies, 0u);
  EXPECT_EQ(simt::stream_counters(stream).launches, 0u);
  EXPECT_EQ(simt::stream_counters(stream).copies, 1u);
  EXPECT_EQ(simt::stream_counters(stream).fills, 1u);
  cuda_check(cudaMemcpy(y.data(), x.data(), 4, cudaMemcpyDeviceToDevice));
  EXPECT_EQ(simt::stream_counters(nullptr).copies, 1u);
  cuda_check(cudaStreamDestroy(stream));
}

// Guards against memory that is allocated anew in every step.
TEST_P(Counters, AllocationsAreCounted) {
  const DeviceBuffer<float> kept(10);
  simt::reset_counters();
  EXPECT_EQ(simt::allocation_counters().allocations, 0u);
  { const DeviceBuffer<float> gone(25); }
  EXPECT_EQ(simt::allocation_counters().allocations, 1u);
  EXPECT_EQ(simt::allocation_counters().allocated_bytes, 100u);
  EXPECT_EQ(simt::allocation_counters().frees, 1u);
}

}  // namespace
}  // namespace waitless::simt_test
