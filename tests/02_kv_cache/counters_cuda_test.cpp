#include <numeric>
#include <string_view>
#include <vector>

#include "cached_kernels_cuda.h"
#include "common/testing/counters_test.h"
#include "common/testing/on_device.h"
#include "common/testing/random_model.h"
#include "common/testing/small_tokenizer.h"
#include "device_scene.h"
#include "generate_cached_cuda.h"

namespace waitless {
namespace {

using simt::KernelCounters;
using simt::MemoryTraffic;

// Bounds are twice what no way of writing a kernel can do without, unless a test says why; "Guards" tests hold this
// course's kernels to their own numbers.

// SmolLM2's attention: three query heads share a head of keys and values.
constexpr int kHeads = 9, kKvHeads = 3, kHeadDim = 64, kKvDim = kKvHeads * kHeadDim;

/// A batch of n rows for each sequence, behind n_cached tokens of it, on the device with random queries, keys and
/// values. The counters start at 0 once everything is there.
struct Prepared {
  DeviceScene scene;
  Batch batch;
  OnDevice q, k, v, out;

  Prepared(Kernel kernel, int n_cached, int n, int n_sequences = 1)
      : scene(attention_shape(kHeads, kKvHeads, kHeadDim), n_cached * n_sequences, kernel),
        q(random_matrix(n * n_sequences, kHeads * kHeadDim, 1)),
        k(random_matrix(n * n_sequences, kKvDim, 2)),
        v(random_matrix(n * n_sequences, kKvDim, 3)),
        out(OnDevice::unwritten(n * n_sequences, kHeads * kHeadDim)) {
    for (int sequence = 0; sequence < n_sequences; ++sequence) {
      scene.remember(Batch::causal(sequence, 0, n_cached));
      batch.add_causal(sequence, n_cached, n);
    }
    scene.prepare(batch);
    simt::reset_counters();
  }

  void launch() { scene.launch(q, k, v, out); }
};

/// Expects that neighbouring threads take neighbours: of the sectors that travelled, more than half was asked for.
void expect_whole_sectors(const MemoryTraffic& traffic) {
  EXPECT_GT(double(traffic.bytes), 0.5 * 32 * double(traffic.sectors)) << "neighbouring lanes should take neighbours";
}

class CountersCuda : public CountersTest {};

/// An append of 40 rows, of which one has no slot.
struct Appended {
  static constexpr int kRows = 40, kSlots = 50;
  OnDevice keys = OnDevice::unwritten(kKvHeads * kSlots, kHeadDim);
  OnDevice values = OnDevice::unwritten(kKvHeads * kSlots, kHeadDim);
  OnDevice k{random_matrix(kRows, kKvDim, 1)}, v{random_matrix(kRows, kKvDim, 2)};
  DeviceBuffer<int> slot;

  Appended() {
    std::vector<int> slots(kRows);
    std::iota(slots.begin(), slots.end(), 7);
    slots[3] = -1;
    slot = DeviceBuffer<int>(slots);
    simt::reset_counters();
    append_cuda({DeviceMatrix(keys).data, DeviceMatrix(values).data, kKvHeads, kSlots, kHeadDim}, slot.data(), k, v);
  }
};

// Grades exercise C2.1.
TEST_F(CountersCuda, AppendWritesTheNewBytesAndNoOthers) {
  // Oracle: by hand. A thread for each element of k reads a slot, a key and a value and writes the two.
  const Appended appended;
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("append_kernel");
  expect_shared_work(counted, 40 * kKvDim / 2, 2 * (1 + 2 + 2));
  for (const OnDevice* stored : {&appended.keys, &appended.values}) {
    const MemoryTraffic written = counted.of(*stored).written;
    EXPECT_EQ(written.unique_bytes, 39u * kKvDim * sizeof(float));
    EXPECT_LT(written.accesses, 2 * 39u * kKvDim) << "an element should be written once";
    expect_whole_sectors(written);
  }
  for (const OnDevice* rows : {&appended.k, &appended.v}) expect_whole_sectors(counted.of(*rows).read);
}

// Guards the append of this course.
TEST_F(CountersCuda, OurAppendWritesWholeSectorsOnce) {
  // Oracle: by hand.
  const Appended appended;
  const KernelCounters counted = simt::counters("append_kernel");
  EXPECT_EQ(counted.active_threads, 40u * kKvDim);
  for (const OnDevice* stored : {&appended.keys, &appended.values}) {
    EXPECT_EQ(counted.of(*stored).written.accesses, 39u * kKvDim);
    EXPECT_EQ(counted.of(*stored).written.sectors_per_request(), 4.0);
  }
}

// Grades exercise C2.2.
TEST_F(CountersCuda, PrefillAttentionReadsAKeyOnceForEightRows) {
  // Oracle: by hand. 64 rows after 30 others are 8 tiles of queries for each query head. Each of them reads the 30
  // cached keys, and tile b the first 8 b + 8 rows: 288 in all. Row by row it would be eight times as much.
  Prepared prepared(Kernel::kPrefill, 30, 64);
  prepared.launch();
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("prefill_attention_kernel");
  const DeviceKvView view = prepared.scene.view();
  for (const float* cached : {view.keys, view.values}) {
    const MemoryTraffic read = counted.of(cached).read;
    EXPECT_EQ(read.unique_bytes, 30u * kKvDim * sizeof(float));
    EXPECT_LE(read.accesses, 2u * 8 * 30 * kHeads * kHeadDim) << "eight rows should share what they read";
    expect_whole_sectors(read);
  }
  for (const OnDevice* rows : {&prepared.k, &prepared.v}) {
    const MemoryTraffic read = counted.of(*rows).read;
    EXPECT_EQ(read.unique_bytes, rows->size_bytes());
    EXPECT_LE(read.accesses, 2u * 288 * kHeads * kHeadDim) << "eight rows should share what they read";
    expect_whole_sectors(read);
  }
  EXPECT_EQ(counted.of(prepared.out).written.unique_bytes, prepared.out.size_bytes());
  EXPECT_GT(counted.shared.accesses, 0u) << "shared memory is not used";
  EXPECT_LE(counted.shared.wavefronts_per_request(), 2.0) << "lanes of a warp fight for a bank: pad the rows";
}

// Grades exercise C2.2.
TEST_F(CountersCuda, PrefillAttentionSharesItsWorkAmongAllThreads) {
  // Oracle: by hand. Of the last tile of queries, 256 threads share 94 keys and values of 64 elements, 512 elements of
  // queries and as many of the output: 51 for each. For each of three KV tiles a thread reads what the plan says of it,
  // 6 numbers, and asks about one key, which takes at most 10 reads.
  Prepared prepared(Kernel::kPrefill, 30, 64);
  prepared.launch();
  expect_no_copies_to_host();
  expect_shared_work(simt::counters("prefill_attention_kernel"), 8 * kHeads * 256 / 2, 2 * (51 + 3 * 16));
}

// Guards the prefill attention of this course.
TEST_F(CountersCuda, OurPrefillAttentionMeetsNoBankTwice) {
  // Oracle: by hand. The plan cuts the rows into KV tiles of 32: tiles of queries b < 4 read one of them, the others
  // two, which makes 4 * 32 + 4 * 64 = 384 keys. A row of 64 elements is 8 sectors.
  Prepared prepared(Kernel::kPrefill, 30, 64);
  prepared.launch();
  const KernelCounters counted = simt::counters("prefill_attention_kernel");
  EXPECT_EQ(counted.of(prepared.scene.view().keys).read.accesses, 8u * 30 * kHeads * kHeadDim);
  EXPECT_EQ(counted.of(prepared.k).read.accesses, 384u * kHeads * kHeadDim);
  EXPECT_EQ(counted.of(prepared.k).read.sectors_per_request(), 4.0);
  EXPECT_EQ(counted.shared.wavefronts_per_request(), 1.0);
}

// Grades exercise C2.3.
TEST_F(CountersCuda, DecodeAttentionReadsEachCachedByteOnce) {
  // Oracle: by hand. Keys and values of 3 heads, whatever the number of query heads and splits.
  for (const int n_cached : {100, 290}) {
    SCOPED_TRACE(testing::Message() << n_cached << " tokens");
    Prepared prepared(Kernel::kDecode, n_cached, 1);
    prepared.launch();
    expect_no_copies_to_host();
    const KernelCounters counted = simt::counters("decode_attention_kernel");
    const DeviceKvView view = prepared.scene.view();
    for (const float* cached : {view.keys, view.values}) {
      const MemoryTraffic read = counted.of(cached).read;
      EXPECT_EQ(read.unique_bytes, std::uint64_t(n_cached) * kKvDim * sizeof(float));
      EXPECT_LT(read.bytes, 2 * read.unique_bytes) << "the query heads of a group should share what is read";
      expect_whole_sectors(read);
    }
    EXPECT_LE(counted.shared.wavefronts, 2 * counted.shared.requests) << "lanes of a warp fight for a bank";
  }
}

// Guards the decode attention of this course.
TEST_F(CountersCuda, OurDecodeAttentionReadsNoByteTwice) {
  // Oracle: by hand.
  Prepared prepared(Kernel::kDecode, 290, 1);
  prepared.launch();
  const DeviceKvView view = prepared.scene.view();
  for (const float* cached : {view.keys, view.values}) {
    const MemoryTraffic read = simt::counters("decode_attention_kernel").of(cached).read;
    EXPECT_EQ(read.bytes, read.unique_bytes);
    EXPECT_EQ(read.sectors_per_request(), 4.0);
  }
}

// Grades exercise C2.3.
TEST_F(CountersCuda, DecodeAttentionSharesItsWorkAmongItsWarps) {
  // Oracle: by hand. 255 cached keys and the row itself are 9 KV tiles, which two thread blocks of 4 warps deal out for
  // each head of keys. A lane of the busiest warp has 2 of 64 elements: of 33 keys and values, 3 queries and 3 outputs.
  // It reads the plan, 6 numbers for a KV tile, asks about two keys, and may note 3 maxima and sums.
  Prepared prepared(Kernel::kDecode, 255, 1);
  prepared.launch();
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("decode_attention_kernel");
  expect_shared_work(counted, kKvHeads * 8 * 32 / 2, 2 * (2 * (33 * 2 + 3 + 3) + 2 * 16 + 6));
  EXPECT_LE(counted.of(prepared.scene.scratch.partials).written.unique_bytes,
            2u * kHeads * 8 * (kHeadDim + 2) * sizeof(float));
}

// Grades exercise C2.3.
TEST_F(CountersCuda, MergingPartialsGivesEachHeadAWarp) {
  // Oracle: by hand. 9 heads have 8 partial outputs of 66 numbers. A lane has 2 of 64 elements of each, and reads its
  // maximum and sum. It writes 2 outputs.
  Prepared prepared(Kernel::kDecode, 255, 1);
  prepared.launch();
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("merge_partials_kernel");
  expect_shared_work(counted, kHeads * 32 / 2, 2 * (8 * (2 + 2) + 2 + 4));
  EXPECT_EQ(counted.of(prepared.scene.scratch.partials).read.unique_bytes,
            std::uint64_t(kHeads) * 8 * (kHeadDim + 2) * sizeof(float));
  EXPECT_EQ(counted.of(prepared.out).written.unique_bytes, prepared.out.size_bytes());
}

/// What a kernel reads of everything for so many sequences, with 40 cached tokens each.
std::uint64_t bytes_read(Kernel kernel, const char* name, int n_sequences) {
  Prepared prepared(kernel, 40, kernel == Kernel::kDecode ? 1 : 8, n_sequences);
  prepared.launch();
  return simt::counters(name).read().bytes;
}

// Grades exercise C2.2.
TEST_F(CountersCuda, PrefillAttentionOfManySequencesCostsWhatEachCosts) {
  // Oracle: invariance. 16 sequences may cost 16 times one, not 256 times.
  const char* kernel = "prefill_attention_kernel";
  EXPECT_LE(bytes_read(Kernel::kPrefill, kernel, 16), 2 * 16 * bytes_read(Kernel::kPrefill, kernel, 1))
      << "each row should visit the KV tiles of its own tile of queries only";
}

// Grades exercise C2.3.
TEST_F(CountersCuda, DecodeAttentionOfManySequencesCostsWhatEachCosts) {
  // Oracle: invariance. 16 sequences may cost 16 times one, not 256 times.
  const char* kernel = "decode_attention_kernel";
  EXPECT_LE(bytes_read(Kernel::kDecode, kernel, 16), 2 * 16 * bytes_read(Kernel::kDecode, kernel, 1))
      << "each row should visit its own KV tiles only";
}

// Grades exercise C2.4.
TEST_F(CountersCuda, GeneratingSendsNewTokensDownAndOneNumberBack) {
  // Oracle: by hand. The prompt of 3 and all new tokens but the last go through the model once, d_model elements each;
  // of the logits nothing comes to the host but the most likely token, 4 bytes. Once two tokens are there, a step
  // copies the batch and the plan to the device, and allocates nothing.
  Config config = small_config();
  config.vocab_size = kSmallVocabularySize;
  const DeviceModel device = upload(random_model(config));
  simt::reset_counters();
  std::vector<simt::CopyCounters> copies;
  std::vector<std::uint64_t> allocations;
  const auto count = [&](int token, std::string_view) {
    if (token < 0) return true;  // text that was pending
    copies.push_back(simt::copy_counters());
    allocations.push_back(simt::allocation_counters().allocations);
    return true;
  };
  generate_cached_cuda(device, small_tokenizer(), std::vector{66, 67, 68}, {.max_tokens = 6}, count);
  const std::size_t n = 6;
  ASSERT_EQ(copies.size(), n);
  EXPECT_EQ(simt::counters("embed_kernel").written().accesses, (3 + n - 1) * config.d_model)
      << "tokens went through the model twice";
  EXPECT_EQ(copies.back().to_host_bytes, 4 * n) << "is the host looking for the largest logit?";
  for (std::size_t i = 2; i < n; ++i) {
    EXPECT_LE(copies[i].to_device - copies[i - 1].to_device, 2u) << "token " << i;
    EXPECT_EQ(copies[i].to_host - copies[i - 1].to_host, 1u) << "token " << i;
    EXPECT_EQ(allocations[i] - allocations[i - 1], 0u) << "token " << i << ": keep what a step needs from step to step";
  }
}

}  // namespace
}  // namespace waitless
