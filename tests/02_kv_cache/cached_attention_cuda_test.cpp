#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cached_attention.h"
#include "cached_operators_cuda.h"
#include "common/testing/compare.h"
#include "common/testing/cuda_test.h"
#include "common/testing/on_device.h"
#include "common/testing/random_model.h"
#include "common/testing/refuses.h"
#include "device_kv_cache.h"

namespace waitless {
namespace {

using AppendCuda = CudaTest;
using PrefillAttentionCuda = CudaTest;
using DecodeAttentionCuda = CudaTest;

Config shape(int n_layers, int n_heads, int n_kv_heads, int head_dim) {
  Config config;
  config.n_layers = n_layers;
  config.n_heads = n_heads;
  config.n_kv_heads = n_kv_heads;
  config.head_dim = head_dim;
  return config;
}

/// The numbers of one head of a device cache.
Matrix keys_of(const DeviceKvView& view, int kv_head, const float* numbers) {
  Matrix m(view.capacity, view.head_dim);
  cuda_check(cudaMemcpy(m.data(), numbers + std::size_t(kv_head) * m.size(), m.size() * sizeof(float),
                        cudaMemcpyDeviceToHost));
  return m;
}

enum class Kernel { kPrefill, kDecode };

/// A cache on the host and its twin on the device, of one layer, through which the same batches go.
struct Twins {
  Config config;
  KvCache host;
  DeviceKvCache device;
  AttentionScratch scratch;
  DeviceAttentionScratch device_scratch;
  std::uint64_t seed = 1;
  Matrix latest;  // what the device gave

  Twins(const Config& c, int capacity) : config(c), host(c, capacity), device(c, capacity) {}

  void store(const Batch& batch, const Matrix& k, const Matrix& v) {
    host.append(0, k, v, batch);
    device.begin(batch);
    append_cuda(device.view(0), OnDevice(k), OnDevice(v), DeviceBatch(batch).view());
  }

  /// Sends random rows of a batch through both and compares. n_splits for the decode kernel.
  testing::AssertionResult agree(const Batch& batch, Kernel kernel, int n_splits = 0) {
    const Index T = batch.n_rows();
    seed += 10;
    return agree(batch, random_matrix(T, config.q_dim(), seed) * 3, random_matrix(T, config.kv_dim(), seed + 1),
                 random_matrix(T, config.kv_dim(), seed + 2), kernel, n_splits);
  }

  /// The same with rows of the caller's.
  testing::AssertionResult agree(const Batch& batch, const Matrix& q, const Matrix& k, const Matrix& v, Kernel kernel,
                                 int n_splits) {
    const Index T = batch.n_rows();
    store(batch, k, v);
    Matrix expected(T, config.q_dim());
    cached_attention(config, host, 0, q, k, v, batch, scratch, expected);

    const DeviceBatch device_batch(batch);
    const OnDevice device_q(q), device_k(k), device_v(v);
    OnDevice out = OnDevice::unwritten(T, config.q_dim());
    const DeviceKvView view = device.view(0);
    if (kernel == Kernel::kPrefill) {
      prefill_attention_cuda(config, view, device_q, device_k, device_v, device_batch.view(), out);
    } else {
      decode_attention_cuda(config, view, device_q, device_k, device_v, device_batch.view(), device_scratch, out,
                            n_splits);
    }
    latest = out.to_host();
    return near(expected, latest, 1.2e-6);
  }
};

// Grades exercise C2.1.
TEST_F(AppendCuda, PutsEachRowIntoItsSlot) {
  // Oracle: the CPU twin. Two layers; slots in any order, one row without a slot; the rest of the cache stays as it
  // was.
  const Config config = shape(2, 4, 2, 6);
  KvCache host(config, 9);
  DeviceKvCache device(config, 9);
  for (int layer = 0; layer < 2; ++layer) cuda_check(cudaMemset(device.view(layer).keys, 0, 2 * 9 * 6 * sizeof(float)));
  for (int layer = 0; layer < 2; ++layer)
    cuda_check(cudaMemset(device.view(layer).values, 0, 2 * 9 * 6 * sizeof(float)));
  Batch batch = Batch::causal(3, 5, 5);
  batch.slot = {7, 2, Batch::kNotStored, 8, 0};
  device.begin(batch);
  const DeviceBatch device_batch(batch);
  for (int layer = 0; layer < 2; ++layer) {
    const Matrix k = random_matrix(5, 12, 10 + layer), v = random_matrix(5, 12, 20 + layer);
    host.append(layer, k, v, batch);
    append_cuda(device.view(layer), OnDevice(k), OnDevice(v), device_batch.view());
  }
  for (int layer = 0; layer < 2; ++layer) {
    const DeviceKvView view = device.view(layer);
    for (int head = 0; head < 2; ++head) {
      EXPECT_TRUE(near(host.keys(layer, head), keys_of(view, head, view.keys), 0))
          << "keys of layer " << layer << ", head " << head;
      EXPECT_TRUE(near(host.values(layer, head), keys_of(view, head, view.values), 0))
          << "values of layer " << layer << ", head " << head;
    }
  }
}

// Grades exercise C2.1.
TEST_F(AppendCuda, NotesWhatTheSlotsHold) {
  // Oracle: by hand. Two rows of one sequence that see as far as position 8, and one of another.
  const Config config = shape(1, 2, 2, 4);
  DeviceKvCache device(config, 6);
  Batch batch = Batch::prefix_causal(3, 5, 2, 9);
  batch.append(Batch::causal(7, 40, 1));
  batch.slot = {4, 1, 2};
  device.begin(batch);
  const Matrix k = random_matrix(3, 8);
  append_cuda(device.view(0), OnDevice(k), OnDevice(k), DeviceBatch(batch).view());
  const auto book = [&](const int* numbers) {
    std::vector<int> host(6);
    cuda_check(cudaMemcpy(host.data(), numbers, 6 * sizeof(int), cudaMemcpyDeviceToHost));
    return host;
  };
  const DeviceKvView view = device.view(0);
  const int free = KvCache::kFree;
  EXPECT_EQ(book(view.sequence), (std::vector<int>{free, 3, 7, free, 3, free}));
  EXPECT_EQ(book(view.position)[4], 5);
  EXPECT_EQ(book(view.position)[1], 6);
  EXPECT_EQ(book(view.position)[2], 40);
  EXPECT_EQ(book(view.batch_row)[4], 0);
  EXPECT_EQ(book(view.batch_row)[1], 1);
  EXPECT_EQ(book(view.batch_row)[2], 2);
}

// Guards the device cache: a batch that does not fit is refused before anything is queued.
TEST_F(AppendCuda, RefusesWhatDoesNotFitBeforeAnythingIsWritten) {
  // Oracle: invariance of numbers and books. The first row of the batch would fit, the second does not.
  const Config config = shape(1, 2, 2, 4);
  Twins twins(config, 4);
  twins.store(Batch::causal(0, 0, 3), random_matrix(3, 8, 1), random_matrix(3, 8, 2));
  const DeviceKvView view = twins.device.view(0);
  const auto contents = [&] {
    std::vector<Matrix> numbers;
    for (int head = 0; head < 2; ++head) {
      numbers.push_back(keys_of(view, head, view.keys).topRows(3));
      numbers.push_back(keys_of(view, head, view.values).topRows(3));
    }
    std::vector<int> sequences(4);
    cuda_check(cudaMemcpy(sequences.data(), view.sequence, 4 * sizeof(int), cudaMemcpyDeviceToHost));
    return std::pair(numbers, sequences);
  };
  const auto before = contents();
  EXPECT_TRUE(refuses_with<CacheFull>([&] { twins.device.begin(Batch::causal(0, 3, 2)); },
                                      {"row 1", "slot 4", "4 slots", "3"}));
  EXPECT_EQ(twins.device.n_stored(0), 3);
  EXPECT_EQ(view.end_slot, twins.device.view(0).end_slot);
  EXPECT_TRUE(before == contents());
  twins.store(Batch::causal(0, 3, 1), random_matrix(1, 8, 3), random_matrix(1, 8, 4));
  EXPECT_EQ(twins.device.n_stored(0), 4) << "after the error the cache goes on as before";
}

// Guards the device cache and its launchers: what does not fit is refused by name on the host.
TEST_F(AppendCuda, RefusesShapesLayersAndPositionsNamingThem) {
  // Oracle: the header. The cache has 2 layers with 2 heads of 4 numbers.
  const Config config = shape(2, 4, 2, 4);
  DeviceKvCache device(config, 6);
  const Batch batch = Batch::causal(0, 0, 2);
  device.begin(batch);
  const DeviceBatch device_batch(batch);
  const DeviceKvView view = device.view(0);
  const OnDevice kv(Matrix::Zero(2, 8)), three_heads(Matrix::Zero(2, 12)), q(Matrix::Zero(2, 16));
  OnDevice out(Matrix::Zero(2, 16));
  DeviceAttentionScratch scratch;
  const auto refuses = [](const auto& call, const std::vector<std::string>& parts) {
    return refuses_with<std::invalid_argument>(call, parts);
  };
  const std::vector<std::string> shapes = {"[2, 12]", "[2, 8]"};
  EXPECT_TRUE(refuses([&] { append_cuda(view, three_heads, kv, device_batch.view()); }, shapes));
  EXPECT_TRUE(refuses([&] { append_cuda(view, kv, three_heads, device_batch.view()); }, shapes));
  EXPECT_TRUE(
      refuses([&] { prefill_attention_cuda(config, view, q, three_heads, kv, device_batch.view(), out); }, shapes));
  EXPECT_TRUE(refuses(
      [&] { decode_attention_cuda(config, view, q, kv, three_heads, device_batch.view(), scratch, out); }, shapes));
  EXPECT_TRUE(refuses([&] { device.view(2); }, {"layer 2", "2 layers"}));
  EXPECT_TRUE(refuses([&] { device.view(-1); }, {"layer -1", "2 layers"}));
  EXPECT_TRUE(refuses([&] { device.truncate(0, -3); }, {"-3"}));
  EXPECT_TRUE(refuses([&] { device.forget(6); }, {"slot 6", "6 slots"}));
}

void expect_every_kind_of_row(Kernel kernel) {
  // Oracle: the CPU twin, whose own tests hold it to double precision. Multi-head, grouped and multi-query, up to the
  // largest group and head that the header allows; prompts, chunks and tokens; blocks and trees without slots;
  // sequences that share the cache.
  for (const auto& [heads, kv_heads, head_dim] :
       {std::tuple{1, 1, 2}, {4, 4, 6}, {6, 2, 8}, {4, 1, 33}, {9, 3, 64}, {8, 1, 128}}) {
    if (testing::Test::HasFailure()) return;
    Twins twins(shape(1, heads, kv_heads, head_dim), 70);
    EXPECT_TRUE(twins.agree(Batch::causal(0, 0, 35), kernel))
        << heads << " heads on " << kv_heads << ", head_dim " << head_dim;
    EXPECT_TRUE(twins.agree(Batch::causal(0, 35, 5), kernel));
    EXPECT_TRUE(twins.agree(Batch::causal(0, 40, 1), kernel));
    EXPECT_TRUE(twins.agree(Batch::bidirectional_block(0, 41, 4), kernel));
    EXPECT_TRUE(twins.agree(Batch::tree(0, 41, {Batch::kRoot, 0, 0, 2, Batch::kRoot}), kernel));
    Batch other = Batch::causal(1, 0, 3);
    other.slot = {60, 50, 55};
    EXPECT_TRUE(twins.agree(other, kernel)) << "(a query sees another sequence's slots)";
    Batch both = Batch::causal(1, 3, 1);
    both.append(Batch::causal(0, 41, 2));
    both.slot = {51, 52, 53};
    EXPECT_TRUE(twins.agree(both, kernel));
    Batch tree = Batch::tree(0, 43, {Batch::kRoot, 0, 0});
    tree.slot = {61, 62, 63};
    EXPECT_TRUE(twins.agree(tree, kernel)) << "(for slots of this batch ask sees(batch, t, row))";
  }
}

// Grades exercise C2.2.
TEST_F(PrefillAttentionCuda, GivesWhatTheCpuGives) { expect_every_kind_of_row(Kernel::kPrefill); }

// Grades exercise C2.3.
TEST_F(DecodeAttentionCuda, GivesWhatTheCpuGives) { expect_every_kind_of_row(Kernel::kDecode); }

void expect_rolled_back_rows_do_not_matter(Kernel kernel) {
  // Oracle: the CPU twin. The slots that were freed hold NaN.
  Twins twins(shape(1, 4, 2, 6), 40);
  EXPECT_TRUE(twins.agree(Batch::causal(0, 0, 5), kernel));
  twins.host.truncate(0, 3);
  twins.device.truncate(0, 3);
  const DeviceKvView view = twins.device.view(0);
  const std::vector<float> nan(6, std::numeric_limits<float>::quiet_NaN());
  for (float* numbers : {view.keys, view.values}) {
    cuda_check(cudaMemcpy(numbers + 4 * 6, nan.data(), 6 * sizeof(float), cudaMemcpyHostToDevice));
  }
  Batch next = Batch::causal(0, 3, 1);
  next.slot = {20};
  EXPECT_TRUE(twins.agree(next, kernel));
}

// Grades exercise C2.2.
TEST_F(PrefillAttentionCuda, DoesNotSeeWhatWasRolledBack) { expect_rolled_back_rows_do_not_matter(Kernel::kPrefill); }

// Grades exercise C2.3.
TEST_F(DecodeAttentionCuda, DoesNotSeeWhatWasRolledBack) { expect_rolled_back_rows_do_not_matter(Kernel::kDecode); }

void expect_the_mean_of_very_negative_scores(Kernel kernel) {
  // Oracle: by hand, and the CPU twin. Each score is -2000, so a row is the mean of the values that it sees: 0, (0 + 1)
  // / 2, (0 + 1 + 2) / 3, ... What it does not see weighs nothing, however small the others are.
  Twins twins(shape(1, 1, 1, 2), 10);
  const auto rows = [](int n, float x) { return Matrix{Matrix::Constant(n, 1, x) * Matrix{{1.0f, 0.0f}}}; };
  Matrix v = Matrix::Zero(5, 2);
  for (int t = 0; t < 5; ++t) v(t, 0) = float(t);
  EXPECT_TRUE(twins.agree(Batch::causal(0, 0, 5), rows(5, -2000), rows(5, 1.4142135f), v, kernel, 2));
  for (int t = 0; t < 5; ++t) {
    EXPECT_NEAR(twins.latest(t, 0), 0.5f * float(t), 1e-5f) << "row " << t << " (the maximum may be negative)";
  }
  EXPECT_TRUE(twins.agree(Batch::causal(0, 5, 1), rows(1, -2000), rows(1, 1.4142135f), rows(1, 5), kernel, 2));
  EXPECT_NEAR(twins.latest(0, 0), 2.5f, 1e-5f) << "(the maximum may be negative)";
}

// Grades exercise C2.2.
TEST_F(PrefillAttentionCuda, DoesNotVanishOnVeryNegativeScores) {
  expect_the_mean_of_very_negative_scores(Kernel::kPrefill);
}

// Grades exercise C2.3.
TEST_F(DecodeAttentionCuda, DoesNotVanishOnVeryNegativeScores) {
  expect_the_mean_of_very_negative_scores(Kernel::kDecode);
}

// Grades exercise C2.3.
TEST_F(DecodeAttentionCuda, MergesAnyNumberOfSplits) {
  // Oracle: the CPU twin. More splits than there are keys leave parts that saw nothing.
  Twins twins(shape(1, 6, 2, 8), 200);
  twins.store(Batch::causal(0, 0, 140), random_matrix(140, 16, 1), random_matrix(140, 16, 2));
  int position = 140;
  for (const int n_splits : {1, 2, 3, 7, 20}) {
    EXPECT_TRUE(twins.agree(Batch::causal(0, position, 1), Kernel::kDecode, n_splits)) << n_splits << " splits";
    ++position;
  }
}

// Grades exercise C2.3.
TEST_F(DecodeAttentionCuda, DoesNotCareInWhichOrderKeysAndPartsCome) {
  // Oracle: invariance, and the CPU twin. The same 70 keys lie in rising slots, in falling ones after 40 empty ones,
  // so that the first parts see nothing, and in mixed ones; then the same token comes.
  std::vector<Matrix> results;
  for (int order = 0; order < 3; ++order) {
    Twins twins(shape(1, 6, 2, 8), 110);
    Batch prompt = Batch::causal(0, 0, 70);
    for (int t = 0; t < 70; ++t) prompt.slot[t] = order == 0 ? t : order == 1 ? 109 - t : (t * 67) % 70;
    Batch token = Batch::causal(0, 70, 1);
    token.slot[0] = order == 1 ? 35 : 70;
    EXPECT_TRUE(twins.agree(prompt, Kernel::kDecode, 1));
    EXPECT_TRUE(twins.agree(token, Kernel::kDecode, 2)) << "order " << order;
    results.push_back(twins.latest);
  }
  EXPECT_TRUE(near(results[0], results[1], 1.2e-6));
  EXPECT_TRUE(near(results[0], results[2], 1.2e-6));
}

// Grades exercise C2.3.
TEST_F(DecodeAttentionCuda, RefusesWhatItsRegistersDoNotHold) {
  // Oracle: the header.
  EXPECT_THROW(Twins(shape(1, 9, 1, 4), 4).agree(Batch::causal(0, 0, 1), Kernel::kDecode), std::invalid_argument);
  EXPECT_THROW(Twins(shape(1, 1, 1, 130), 4).agree(Batch::causal(0, 0, 1), Kernel::kDecode), std::invalid_argument);
  EXPECT_THROW(Twins(shape(1, 1, 1, 4), 4).agree(Batch::causal(0, 0, 1), Kernel::kDecode, -1), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
