#pragma once

#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "cached_kernels_cuda.h"
#include "common/model/device_batch.h"
#include "common/testing/on_device.h"
#include "device_attention_plan.h"
#include "scene.h"

namespace waitless {

enum class Kernel { kPrefill, kDecode };

/// A KV cache of one layer on the device, as the attention kernels see it, and the tokens in it as the oracle remembers
/// them. The test deals the slots itself, and all that no token holds is NaN: so the kernels are on their own here, and
/// need neither the chapter's table of slots nor its append.
struct DeviceScene {
  Config config;
  Memory memory;
  std::vector<int> slot_order;  // [n_slots] a new token gets the first of these that is free
  AttentionPlan::Sizes sizes;   // of the plan
  bool serves_all = true;       // the kernel under test serves all rows, however many they are
  DeviceAttentionScratch scratch;

  DeviceScene(const Config& c, int n_slots, Kernel kernel)
      : config(c), slot_order(n_slots), sizes(AttentionPlanView::kSizes), kernel_(kernel) {
    std::iota(slot_order.begin(), slot_order.end(), 0);
    sizes.few_rows = kernel == Kernel::kPrefill ? 0 : std::numeric_limits<int>::max();
  }

  /// From now on as in the programs: few rows of a sequence for decode attention, more for prefill attention.
  void share_rows() {
    sizes = AttentionPlanView::kSizes;
    serves_all = false;
  }

  /// Puts cache, plan and batch on the device.
  void prepare(const Batch& batch) {
    upload_cache();
    std::map<int, std::vector<SlotSpan>> spans;
    for (const Remembered& it : memory.tokens) add_to(spans[it.sequence], it.slot, it.position);
    const std::vector<int> no_slots(batch.n_rows(), -1);
    plan_.make(
        batch, no_slots, [&](int sequence) { return std::span(spans[sequence]); }, nullptr, sizes);
    batch_.upload(batch);
  }

  /// The kernel on what is there.
  void launch(ConstDeviceMatrix q, ConstDeviceMatrix k, ConstDeviceMatrix v, DeviceMatrix out) {
    if (kernel_ == Kernel::kPrefill)
      prefill_attention_cuda(config, view(), plan_.view(), q, k, v, batch_.view(), out);
    else
      decode_attention_cuda(config, view(), plan_.view(), q, k, v, batch_.view(), scratch, out);
  }

  /// The kernel's output for a batch; 99 where it wrote nothing.
  Matrix attend(const Batch& batch, const Rows& rows) {
    prepare(batch);
    OnDevice out = OnDevice::unwritten(batch.n_rows(), config.q_dim());
    launch(OnDevice(rows.q), OnDevice(rows.k), OnDevice(rows.v), out);
    return out.to_host();
  }

  /// Sends a batch through and compares: what the kernel serves with the oracle, the rest with what was there before.
  testing::AssertionResult right(const Batch& batch, const Rows& rows, const char* hint = "") {
    MatrixXd truth = oracle_attention(config, memory, batch, rows);
    for (int t = 0; t < batch.n_rows(); ++t) {
      if (!serves(batch, t)) truth.row(t).setConstant(99);
    }
    const auto result = near(truth, attend(batch, rows), 2e-6, hint);
    remember(batch, rows);
    return result;
  }
  testing::AssertionResult right(const Batch& batch, const char* hint = "") {
    return right(batch, random_rows(config, batch, seed_ += 10), hint);
  }

  /// Stores what is to be stored without asking a kernel.
  void remember(const Batch& batch, const Rows& rows) {
    memory.add(batch, rows);
    std::vector<bool> is_taken(slot_order.size());
    for (const Remembered& it : memory.tokens) {
      if (it.slot >= 0) is_taken[it.slot] = true;
    }
    auto next = slot_order.begin();
    for (Remembered& it : memory.tokens) {
      if (it.slot >= 0) continue;
      next = std::find_if(next, slot_order.end(), [&](int slot) { return !is_taken[slot]; });
      it.slot = *next++;
    }
  }
  void remember(const Batch& batch) { remember(batch, random_rows(config, batch, seed_ += 10)); }

  // As the functions of SlotTable.

  void keep(const std::vector<int>& rows) { memory.keep(rows); }
  void fork(int from, int to) { memory.fork(from, to); }
  void evict(int sequence, int first, int last) { memory.evict(sequence, first, last); }
  void truncate(int sequence, int n_positions) { memory.truncate(sequence, n_positions); }

  DeviceKvView view() {
    return {keys_.data(), values_.data(), config.n_kv_heads, int(slot_order.size()), config.head_dim};
  }

 private:
  static void add_to(std::vector<SlotSpan>& spans, int slot, int position) {
    if (!spans.empty() && spans.back().slot + spans.back().n == slot &&
        spans.back().position + spans.back().n == position) {
      ++spans.back().n;
    } else {
      spans.push_back({slot, position, 1});
    }
  }

  /// Whether fewer than 8 neighbouring rows are of the sequence, and of the context, of row t.
  bool serves(const Batch& batch, int t) const {
    if (serves_all) return true;
    const auto belong_together = [&](int a, int b) {
      return batch.sequence[a] == batch.sequence[b] &&
             (batch.context.empty() || batch.context[a].sequence == batch.context[b].sequence);
    };
    int first = t, last = t;
    while (first > 0 && belong_together(first - 1, t)) --first;
    while (last + 1 < batch.n_rows() && belong_together(last + 1, t)) ++last;
    return (last - first + 1 < 8) == (kernel_ == Kernel::kDecode);
  }

  void upload_cache() {
    const int n_slots = int(slot_order.size()), D = config.head_dim;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    Matrix keys = Matrix::Constant(Index(config.n_kv_heads) * n_slots, D, nan), values = keys;
    for (const Remembered& it : memory.tokens) {
      for (int head = 0; head < config.n_kv_heads; ++head) {
        keys.row(Index(head) * n_slots + it.slot) = it.k.middleCols(head * D, D);
        values.row(Index(head) * n_slots + it.slot) = it.v.middleCols(head * D, D);
      }
    }
    keys_ = DeviceBuffer<float>(std::span<const float>(keys.data(), std::size_t(keys.size())));
    values_ = DeviceBuffer<float>(std::span<const float>(values.data(), std::size_t(values.size())));
  }

  Kernel kernel_;
  DeviceBuffer<float> keys_, values_;
  DeviceAttentionPlan plan_;
  DeviceBatch batch_;
  std::uint64_t seed_ = 1;
};

}  // namespace waitless
