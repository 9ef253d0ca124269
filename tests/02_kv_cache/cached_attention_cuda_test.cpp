#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cached_kernels_cuda.h"
#include "common/testing/compare.h"
#include "common/testing/cuda_test.h"
#include "common/testing/on_device.h"
#include "common/testing/random_model.h"
#include "common/testing/refuses.h"
#include "device_scene.h"

namespace waitless {
namespace {

using AppendCuda = CudaTest;
using PrefillAttentionCuda = CudaTest;
using DecodeAttentionCuda = CudaTest;

/// A cache of one layer on the device whose elements are all -1.
struct EmptyCache {
  OnDevice keys, values;
  DeviceKvView view;

  EmptyCache(int n_kv_heads, int n_slots, int head_dim)
      : keys(Matrix::Constant(Index(n_kv_heads) * n_slots, head_dim, -1)),
        values(Matrix::Constant(Index(n_kv_heads) * n_slots, head_dim, -1)),
        view{DeviceMatrix(keys).data, DeviceMatrix(values).data, n_kv_heads, n_slots, head_dim} {}
};

/// What the keys (or values) of such a cache should be once the rows are in their slots.
Matrix with_rows(const EmptyCache& cache, const std::vector<int>& slot, const Matrix& rows) {
  const auto& [n_kv_heads, n_slots, D] = std::tuple(cache.view.n_kv_heads, cache.view.n_slots, cache.view.head_dim);
  Matrix m = Matrix::Constant(Index(n_kv_heads) * n_slots, D, -1);
  for (std::size_t t = 0; t < slot.size(); ++t) {
    for (int head = 0; head < n_kv_heads && slot[t] >= 0; ++head) {
      m.row(Index(head) * n_slots + slot[t]) = rows.row(Index(t)).segment(head * D, D);
    }
  }
  return m;
}

// Grades exercise C2.1.
TEST_F(AppendCuda, PutsEachRowIntoItsSlot) {
  // Oracle: by hand. Slots in any order, one row without; sizes that do not fill the last thread block, and more than
  // one thread block.
  for (const auto& [n_kv_heads, D, slot] : {std::tuple{2, 6, std::vector{7, 2, -1, 8, 0}},
                                            {3, 7, {40, 39, 0, 1, 2, 12, 11, -1, 10, 33, 34, 30, 20}},
                                            {1, 1, {3}}}) {
    EmptyCache cache(n_kv_heads, 41, D);
    const Index T = Index(slot.size());
    const Matrix k = random_matrix(T, n_kv_heads * D, 1), v = random_matrix(T, n_kv_heads * D, 2);
    append_cuda(cache.view, DeviceBuffer<int>(slot).data(), OnDevice(k), OnDevice(v));
    EXPECT_TRUE(near(with_rows(cache, slot, k), cache.keys.to_host(), 0,
                     "(keys; row [head * n_slots + slot]: the slots of a head lie side by side)"));
    EXPECT_TRUE(near(with_rows(cache, slot, v), cache.values.to_host(), 0, "(values)"));
  }
}

// Grades exercise C2.1.
TEST_F(AppendCuda, LeavesRowsWithoutASlotOut) {
  // Oracle: by hand. No row is stored, and so nothing changes.
  EmptyCache cache(2, 5, 4);
  const Matrix k = random_matrix(40, 8);
  append_cuda(cache.view, DeviceBuffer<int>(std::vector<int>(40, -1)).data(), OnDevice(k), OnDevice(k));
  EXPECT_TRUE(near(with_rows(cache, {}, k), cache.keys.to_host(), 0));
  EXPECT_TRUE(near(with_rows(cache, {}, k), cache.values.to_host(), 0));
}

// Guards the launchers: shapes that do not hold are refused on the host, naming both.
TEST_F(AppendCuda, RefusesShapesNamingThem) {
  // Oracle: the header. The cache has 2 heads of 4.
  const Config config = attention_shape(4, 2, 4);
  EmptyCache cache(2, 6, 4);
  const DeviceBatch batch(Batch::causal(0, 0, 2));
  const OnDevice kv(Matrix::Zero(2, 8)), three_heads(Matrix::Zero(2, 12)), q(Matrix::Zero(2, 16));
  OnDevice out(Matrix::Zero(2, 16));
  DeviceAttentionScratch scratch;
  const auto refuses = [](const auto& call) {
    return refuses_with<std::invalid_argument>(call, {"[2, 12]", "[2, 8]"});
  };
  EXPECT_TRUE(refuses([&] { append_cuda(cache.view, nullptr, three_heads, kv); }));
  EXPECT_TRUE(refuses([&] { prefill_attention_cuda(config, cache.view, {}, q, three_heads, kv, batch.view(), out); }));
  EXPECT_TRUE(
      refuses([&] { decode_attention_cuda(config, cache.view, {}, q, kv, three_heads, batch.view(), scratch, out); }));
}

void expect_any_shape(Kernel kernel) {
  // Oracle: double precision. Multi-head, grouped and multi-query, up to the largest head and the most query heads to a
  // head of keys that the header allows; caches around multiples of a KV tile.
  for (const auto& [n_cached, n_rows, heads, kv_heads, head_dim] : {std::tuple{0, 1, 1, 1, 2},
                                                                    {1, 7, 4, 4, 6},
                                                                    {31, 8, 6, 2, 8},
                                                                    {32, 9, 4, 1, 33},
                                                                    {33, 33, 9, 3, 64},
                                                                    {70, 3, 8, 1, 128}}) {
    DeviceScene scene(attention_shape(heads, kv_heads, head_dim), n_cached + n_rows, kernel);
    scene.remember(Batch::causal(0, 0, n_cached));
    EXPECT_TRUE(scene.right(Batch::causal(0, n_cached, n_rows)))
        << n_rows << " rows behind " << n_cached << ", " << heads << " heads on " << kv_heads << ", head_dim "
        << head_dim;
  }
}

// Grades exercise C2.2.
TEST_F(PrefillAttentionCuda, MatchesDoublePrecisionForAnyShape) { expect_any_shape(Kernel::kPrefill); }

// Grades exercise C2.3.
TEST_F(DecodeAttentionCuda, MatchesDoublePrecisionForAnyShape) { expect_any_shape(Kernel::kDecode); }

void expect_every_kind_of_row(Kernel kernel) {
  // Oracle: double precision. Prompts, blocks, trees, forks, evicted tokens, contexts, several sequences, in rising
  // slots and in a cache whose slots were dealt in no order at all. What no token holds is NaN.
  for (const int step : {1, 67}) {
    DeviceScene scene(attention_shape(6, 2, 8), 200, kernel);
    for (int i = 0; i < 200; ++i) scene.slot_order[i] = i * step % 200;
    for_each_situation(scene, [&](const Batch& batch, const char* what) {
      EXPECT_TRUE(scene.right(batch, what)) << "slots " << step << " apart";
    });
  }
}

// Grades exercise C2.2.
TEST_F(PrefillAttentionCuda, SeesWhatEachKindOfRowMaySee) { expect_every_kind_of_row(Kernel::kPrefill); }

// Grades exercise C2.3.
TEST_F(DecodeAttentionCuda, SeesWhatEachKindOfRowMaySee) { expect_every_kind_of_row(Kernel::kDecode); }

void expect_rows_without_keys(Kernel kernel) {
  // Oracle: double precision. A drafter that reads another model's cache has queries only (chapter 08).
  DeviceScene scene(attention_shape(4, 2, 6), 50, kernel);
  scene.remember(Batch::causal(0, 0, 40));
  Batch batch = Batch::causal(0, 30, 9);
  batch.is_stored.assign(9, false);
  Rows rows = random_rows(scene.config, batch, 77);
  rows.k.resize(0, scene.config.kv_dim());
  rows.v.resize(0, scene.config.kv_dim());
  EXPECT_TRUE(scene.right(batch, rows, "(k has no rows: only what is cached counts)"));
}

// Grades exercise C2.2.
TEST_F(PrefillAttentionCuda, TakesRowsThatBringNoKeys) { expect_rows_without_keys(Kernel::kPrefill); }

// Grades exercise C2.3.
TEST_F(DecodeAttentionCuda, TakesRowsThatBringNoKeys) { expect_rows_without_keys(Kernel::kDecode); }

void expect_hidden_keys_to_be_harmless(Kernel kernel) {
  // Oracle: invariance. Infinity and NaN in keys and values that no row of the batch sees, though they share KV tiles
  // with others: a cached token behind the last visible position, and siblings in a tree.
  const Config config = attention_shape(4, 2, 6);
  const auto output = [&](float poison) {
    DeviceScene scene(config, 50, kernel);
    Batch prompt = Batch::causal(0, 0, 20);
    Rows rows = random_rows(config, prompt, 1);
    if (poison != 0) rows.k.row(19).setConstant(poison), rows.v.row(19).setConstant(poison);
    scene.remember(prompt, rows);
    Batch batch = Batch::tree(0, 15, {Batch::kRoot, 0, 1, 2, 3, 4, 5, 6, 7, 0});
    batch.is_stored.assign(10, false);
    Rows tree = random_rows(config, batch, 2);
    for (int& last : batch.last_visible) last = std::min(last, 18);
    if (poison != 0) tree.k.row(9).setConstant(poison), tree.v.row(9).setConstant(poison);
    return scene.attend(batch, tree).topRows(4).eval();
  };
  const Matrix clean = output(0);
  for (const float poison : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_TRUE(near(clean, output(poison), 0, "(0 times NaN is NaN: what is hidden must not even be multiplied)"))
        << poison;
  }
}

// Grades exercise C2.2.
TEST_F(PrefillAttentionCuda, IsNotMovedByWhatIsHidden) { expect_hidden_keys_to_be_harmless(Kernel::kPrefill); }

// Grades exercise C2.3.
TEST_F(DecodeAttentionCuda, IsNotMovedByWhatIsHidden) { expect_hidden_keys_to_be_harmless(Kernel::kDecode); }

void expect_the_mean_of_very_negative_scores(Kernel kernel) {
  // Oracle: by hand. Each score is -2000, so a row is the mean of the values that it sees: 0, (0 + 1) / 2,
  // (0 + 1 + 2) / 3, ... What it does not see weighs nothing, however small the others are.
  DeviceScene scene(attention_shape(1, 1, 2), 40, kernel);
  const Batch batch = Batch::causal(0, 0, 35);
  Rows rows{Matrix::Zero(35, 2), Matrix::Zero(35, 2), Matrix::Zero(35, 2)};
  rows.q.col(0).setConstant(-2000);
  rows.k.col(0).setConstant(1.4142135f);
  for (int t = 0; t < 35; ++t) rows.v(t, 0) = float(t);
  const Matrix out = scene.attend(batch, rows);
  for (int t = 0; t < 35; ++t) {
    EXPECT_NEAR(out(t, 0), 0.5f * float(t), 1e-4f) << "row " << t << " (the maximum may be negative)";
  }
}

// Grades exercise C2.2.
TEST_F(PrefillAttentionCuda, DoesNotVanishOnVeryNegativeScores) {
  expect_the_mean_of_very_negative_scores(Kernel::kPrefill);
}

// Grades exercise C2.3.
TEST_F(DecodeAttentionCuda, DoesNotVanishOnVeryNegativeScores) {
  expect_the_mean_of_very_negative_scores(Kernel::kDecode);
}

void expect_large_scores_in_any_order(Kernel kernel) {
  // Oracle: double precision. Scores of some hundreds whose maximum comes first, last and in the middle: sums and
  // outputs that are not rescaled overflow or vanish.
  const Config config = attention_shape(2, 1, 4);
  for (const int largest : {0, 50, 99}) {
    DeviceScene scene(config, 110, kernel);
    const Batch prompt = Batch::causal(0, 0, 100), next = Batch::causal(0, 100, 8);
    Rows rows = random_rows(config, prompt, 1), last = random_rows(config, next, 2);
    rows.k.col(0).setLinSpaced(100, 0.0f, 100.0f);
    rows.k(largest, 0) = 140;
    last.q.col(0).setConstant(3);
    scene.remember(prompt, rows);
    EXPECT_TRUE(scene.right(next, last, "(rescale sum and output when the maximum grows)")) << "key " << largest;
  }
}

// Grades exercise C2.2.
TEST_F(PrefillAttentionCuda, RescalesWhenTheMaximumGrows) { expect_large_scores_in_any_order(Kernel::kPrefill); }

// Grades exercise C2.3.
TEST_F(DecodeAttentionCuda, RescalesWhenTheMaximumGrows) { expect_large_scores_in_any_order(Kernel::kDecode); }

void expect_to_serve_its_rows_only(Kernel kernel) {
  // Oracle: double precision, and 99 where the other kernel should write. Sequence 0 has 3 rows in the batch, sequence
  // 1 has 20, 64 more have one each.
  DeviceScene scene(attention_shape(2, 1, 4), 400, kernel);
  scene.share_rows();
  Batch batch = Batch::causal(0, 40, 3);
  batch.append(Batch::causal(1, 10, 20));
  for (int sequence = 2; sequence < 66; ++sequence) batch.append(Batch::causal(sequence, 2, 1));
  scene.remember(Batch::causal(0, 0, 40));
  scene.remember(Batch::causal(1, 0, 10));
  for (int sequence = 2; sequence < 66; ++sequence) scene.remember(Batch::causal(sequence, 0, 2));
  EXPECT_TRUE(scene.right(batch));
}

// Grades exercise C2.2.
TEST_F(PrefillAttentionCuda, ServesTheRowsThatAreMany) { expect_to_serve_its_rows_only(Kernel::kPrefill); }

// Grades exercise C2.3.
TEST_F(DecodeAttentionCuda, ServesTheRowsThatAreFew) { expect_to_serve_its_rows_only(Kernel::kDecode); }

void expect_the_same_bits_in_company(Kernel kernel, int n_rows) {
  // Oracle: invariance. Ten other sequences in the batch, one of them much longer, change not a bit of this one.
  const Config config = attention_shape(2, 1, 4);
  const Batch prompt = Batch::causal(0, 0, 40), next = Batch::causal(0, 40, n_rows);
  const Rows prompt_rows = random_rows(config, prompt, 1), next_rows = random_rows(config, next, 2);
  DeviceScene alone(config, 100, kernel), crowded(config, 900, kernel);
  for (DeviceScene* scene : {&alone, &crowded}) {
    scene->share_rows();
    scene->remember(prompt, prompt_rows);
  }
  Batch crowd = next;
  for (int sequence = 1; sequence < 11; ++sequence) {
    const int length = sequence == 5 ? 600 : 9;
    crowded.remember(Batch::causal(sequence, 0, length));
    crowd.append(Batch::causal(sequence, length, n_rows));
  }
  Rows crowd_rows = random_rows(config, crowd, 3);
  crowd_rows.q.topRows(n_rows) = next_rows.q;
  crowd_rows.k.topRows(n_rows) = next_rows.k;
  crowd_rows.v.topRows(n_rows) = next_rows.v;
  EXPECT_EQ(alone.attend(next, next_rows), crowded.attend(crowd, crowd_rows).topRows(n_rows));
}

// Grades exercise C2.2.
TEST_F(PrefillAttentionCuda, GivesARowTheSameBitsInCompany) { expect_the_same_bits_in_company(Kernel::kPrefill, 8); }

// Grades exercise C2.3.
TEST_F(DecodeAttentionCuda, GivesARowTheSameBitsInCompany) { expect_the_same_bits_in_company(Kernel::kDecode, 1); }

// Grades exercise C2.3.
TEST_F(DecodeAttentionCuda, MergesAnyNumberOfSplits) {
  // Oracle: double precision. One thread block for a row, two, and the most; rows of several lengths in one batch.
  DeviceScene scene(attention_shape(2, 1, 4), 5500, Kernel::kDecode);
  const std::vector<int> lengths = {3, 250, 257, 600, 4200};
  Batch batch;
  for (int sequence = 0; sequence < int(lengths.size()); ++sequence) {
    scene.remember(Batch::causal(sequence, 0, lengths[sequence]));
    batch.append(Batch::causal(sequence, lengths[sequence], 1));
  }
  EXPECT_TRUE(scene.right(batch, "(each row has as many partial outputs as its own length asks for)"));
}

// Guards the header: what does not fit into registers is refused.
TEST_F(PrefillAttentionCuda, RefusesHeadsAbove128) {
  // Oracle: the header.
  EXPECT_THROW(DeviceScene(attention_shape(1, 1, 160), 8, Kernel::kPrefill).right(Batch::causal(0, 0, 8)),
               std::invalid_argument);
}

// Guards the header: what does not fit into registers is refused.
TEST_F(DecodeAttentionCuda, RefusesWhatItsRegistersDoNotHold) {
  // Oracle: the header.
  EXPECT_THROW(DeviceScene(attention_shape(9, 1, 4), 4, Kernel::kDecode).right(Batch::causal(0, 0, 1)),
               std::invalid_argument);
  EXPECT_THROW(DeviceScene(attention_shape(1, 1, 160), 4, Kernel::kDecode).right(Batch::causal(0, 0, 1)),
               std::invalid_argument);
}

}  // namespace
}  // namespace waitless
