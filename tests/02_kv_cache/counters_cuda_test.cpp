#include "common/testing/counters_test.h"

#if defined(WAITLESS_SIMT)

#include "cached_operators_cuda.h"
#include "common/testing/on_device.h"
#include "common/testing/random_model.h"
#include "common/testing/small_tokenizer.h"
#include "device_kv_cache.h"
#include "generate_cached_cuda.h"

namespace waitless {
namespace {

using simt::KernelCounters;
using simt::MemoryTraffic;

// SmolLM2's attention: three query heads share a head of keys and values.
constexpr int kHeads = 9, kKvHeads = 3, kHeadDim = 64, kKvDim = kKvHeads * kHeadDim;

Config shape() {
  Config config;
  config.n_layers = 1;
  config.n_heads = kHeads;
  config.n_kv_heads = kKvHeads;
  config.head_dim = kHeadDim;
  return config;
}

/// A cache, the batch that went into it last, and that batch's random queries, keys and values. The counters start at 0
/// once they are stored.
struct StoredBatch {
  DeviceKvCache cache{shape(), 256};
  DeviceBatch batch;
  OnDevice q, k, v, out;

  /// @param n_before tokens of the sequence that were stored earlier   @param n of the batch
  StoredBatch(int n_before, int n)
      : batch(Batch::causal(0, n_before, n)),
        q(random_matrix(n, kHeads * kHeadDim, 1)),
        k(random_matrix(n, kKvDim, 2)),
        v(random_matrix(n, kKvDim, 3)),
        out(OnDevice::unwritten(n, kHeads * kHeadDim)) {
    const OnDevice earlier(random_matrix(n_before, kKvDim, 4));
    const Batch earlier_batch = Batch::causal(0, 0, n_before);
    cache.begin(earlier_batch);
    append_cuda(view(), earlier, earlier, DeviceBatch(earlier_batch).view());
    cache.begin(Batch::causal(0, n_before, n));
    append_cuda(view(), k, v, batch.view());
    simt::reset_counters();
  }

  DeviceKvView view() { return cache.view(0); }
};

/// Expects that these keys or values were read, all of them, in sectors of which 90 % at least were asked for.
void expect_whole_sectors(const MemoryTraffic& read, std::uint64_t n_keys) {
  EXPECT_EQ(read.unique_bytes, n_keys * kKvDim * sizeof(float));
  EXPECT_GE(double(read.bytes), 0.9 * 32 * double(read.sectors)) << "neighbouring lanes should read neighbours";
}

class CountersCuda : public CountersTest {};

// Grades exercise C2.1.
TEST_F(CountersCuda, AppendWritesTheNewBytesAndNoOthers) {
  // Oracle: by hand. Five of six rows have a slot: a thread for each of their 192 numbers reads a slot, a key and a
  // value and writes the two. One thread a row also copies sequence and position and writes its row. A warp has half of
  // a head.
  DeviceKvCache cache(shape(), 256);
  Batch batch = Batch::causal(0, 0, 6);
  batch.slot[2] = Batch::kNotStored;
  cache.begin(batch);
  const DeviceBatch device_batch(batch);
  const OnDevice k(random_matrix(6, kKvDim, 1)), v(random_matrix(6, kKvDim, 2));
  const DeviceKvView view = cache.view(0);
  append_cuda(view, k, v, device_batch.view());
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("append_kernel");
  expect_shared_work(counted, 6 * kKvDim, 3 + 2 + 2 + 3);
  for (const float* numbers : {view.keys, view.values}) {
    const MemoryTraffic written = counted.of(numbers).written;
    EXPECT_EQ(written.accesses, 5u * kKvDim) << "a number should be written once";
    EXPECT_EQ(written.unique_bytes, 5u * kKvDim * sizeof(float));
    EXPECT_EQ(written.sectors_per_request(), 4.0) << "neighbouring threads should write neighbours";
  }
  for (const OnDevice* rows : {&k, &v}) EXPECT_EQ(counted.of(*rows).read.sectors_per_request(), 4.0);
  for (const int* book : {view.sequence, view.position, view.batch_row}) {
    EXPECT_EQ(counted.of(book).written.accesses, 5u) << "one thread a row should note what its slot holds";
  }
}

// Grades exercise C2.2.
TEST_F(CountersCuda, PrefillAttentionReadsATileOnceForEightRows) {
  // Oracle: by hand. 64 rows after 30 others are 8 thread blocks for a head. The last row of block b sees 38 + 8 b
  // keys, and the block reads whole tiles: 64 keys for b < 4, all 94 for the others, which makes 4 * 64 + 4 * 94 = 632
  // for each query head.
  StoredBatch stored(30, 64);
  const DeviceKvView view = stored.view();
  prefill_attention_cuda(shape(), view, stored.q, stored.k, stored.v, stored.batch.view(), stored.out);
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("prefill_attention_kernel");
  for (const float* numbers : {view.keys, view.values}) {
    const MemoryTraffic read = counted.of(numbers).read;
    expect_whole_sectors(read, 94);
    EXPECT_LE(read.accesses, 632u * kHeads * kHeadDim) << "eight rows should share what they read";
  }
  for (const OnDevice* rows : {&stored.k, &stored.v})
    EXPECT_EQ(counted.of(*rows).read.accesses, 0u) << "they are in the cache";
  EXPECT_EQ(counted.of(stored.q).read.unique_bytes, stored.q.size_bytes());
  EXPECT_EQ(counted.of(stored.out).written.accesses, 64u * kHeads * kHeadDim);
  EXPECT_GT(counted.shared.accesses, 0u) << "shared memory is not used";
  EXPECT_EQ(counted.shared.wavefronts_per_request(), 1.0) << "lanes of a warp fight for a bank";
}

// Grades exercise C2.2.
TEST_F(CountersCuda, PrefillAttentionSharesItsWorkAmongAllThreads) {
  // Oracle: by hand, as above. A thread loads 2 of 8 * 64 numbers of queries; for each of at most three tiles 8 keys
  // and values of 32 * 64, asks for each whether it is in use, and for one key whether it is visible, which takes at
  // most 8 reads. It writes 2 of the 64 outputs of its warp.
  StoredBatch stored(30, 64);
  prefill_attention_cuda(shape(), stored.view(), stored.q, stored.k, stored.v, stored.batch.view(), stored.out);
  expect_no_copies_to_host();
  expect_shared_work(simt::counters("prefill_attention_kernel"), 8 * kHeads * 256, 2 + 3 * (8 * 3 + 8) + 2);
}

// Grades exercise C2.3.
TEST_F(CountersCuda, DecodeAttentionReadsEachCachedByteOnce) {
  // Oracle: by hand. 256 keys of 3 heads of 64 numbers, whatever the number of query heads and splits. What a slot
  // holds is asked once for each head of keys, by neighbouring lanes: 256 * 4 bytes are 32 sectors.
  for (const int n_splits : {1, 2}) {
    SCOPED_TRACE(testing::Message() << n_splits << " splits");
    StoredBatch stored(255, 1);
    const DeviceKvView view = stored.view();
    DeviceAttentionScratch scratch;
    decode_attention_cuda(shape(), view, stored.q, stored.k, stored.v, stored.batch.view(), scratch, stored.out,
                          n_splits);
    expect_no_copies_to_host();
    const KernelCounters counted = simt::counters("decode_attention_kernel");
    for (const float* numbers : {view.keys, view.values}) {
      const MemoryTraffic read = counted.of(numbers).read;
      expect_whole_sectors(read, 256);
      EXPECT_LE(double(read.bytes), 1.01 * double(read.unique_bytes))
          << "the query heads of a group should share what is read";
    }
    EXPECT_LE(counted.of(view.sequence).read.sectors, 32u * kKvHeads)
        << "32 lanes should ask about 32 keys, not about one";
    EXPECT_LE(counted.shared.wavefronts, counted.shared.requests) << "lanes of a warp fight for a bank";
  }
}

// Grades exercise C2.3.
TEST_F(CountersCuda, DecodeAttentionSharesItsWorkAmongItsWarps) {
  // Oracle: by hand. Two splits are 8 warps for each head of keys, of 32 keys each. A lane has 2 of 64 numbers: of 3
  // queries, of each key and value, and of 3 outputs; it asks about one key, which takes at most 8 reads, and one lane
  // notes maximum and sum.
  StoredBatch stored(255, 1);
  DeviceAttentionScratch scratch;
  decode_attention_cuda(shape(), stored.view(), stored.q, stored.k, stored.v, stored.batch.view(), scratch, stored.out,
                        2);
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("decode_attention_kernel");
  expect_shared_work(counted, kKvHeads * 8 * 32, 3 * 2 + 8 + 32 * 2 * 2 + 3 * 2 + 3 * 2);
  EXPECT_EQ(counted.of(scratch.parts).written.accesses, std::uint64_t(kHeads) * 8 * (kHeadDim + 2));
}

// Grades exercise C2.3.
TEST_F(CountersCuda, MergingPartsGivesEachHeadAWarp) {
  // Oracle: by hand. 9 heads have 8 parts of 66 numbers. A lane has 2 of 64 outputs: for each part it reads their 2
  // numbers, and maximum and sum, twice each at most and the maximum once more for each output. It writes the 2.
  StoredBatch stored(255, 1);
  DeviceAttentionScratch scratch;
  decode_attention_cuda(shape(), stored.view(), stored.q, stored.k, stored.v, stored.batch.view(), scratch, stored.out,
                        2);
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("merge_parts_kernel");
  expect_shared_work(counted, kHeads * 32, 8 * (2 + 4 + 2) + 2);
  EXPECT_EQ(counted.of(scratch.parts).read.unique_bytes, kHeads * 8 * (kHeadDim + 2) * sizeof(float));
  EXPECT_EQ(counted.of(stored.out).written.accesses, std::uint64_t(kHeads) * kHeadDim);
}

// Grades exercise C2.4.
TEST_F(CountersCuda, GeneratingSendsNewTokensDownAndOneNumberBack) {
  // Oracle: by hand. The prompt of 3 and all new tokens but the last go through the model once, a number of d_model
  // each; of the logits nothing comes to the host but the most likely token, 4 bytes.
  Config config = small_config();
  config.vocab_size = kSmallVocabularySize;
  const DeviceModel device = upload(random_model(config));
  simt::reset_counters();
  const CachedGeneration got =
      generate_cached_cuda(device, small_tokenizer(), std::vector{66, 67, 68}, {.max_tokens = 5});
  const std::size_t n = got.generation.tokens.size();
  ASSERT_EQ(n, 5u);
  EXPECT_EQ(simt::counters("embed_kernel").written().accesses, (3 + n - 1) * config.d_model)
      << "tokens went through the model twice";
  EXPECT_EQ(simt::copy_counters().to_host_bytes, 4 * n) << "is the host looking for the largest logit?";
}

}  // namespace
}  // namespace waitless

#endif
