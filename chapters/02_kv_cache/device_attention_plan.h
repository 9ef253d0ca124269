#pragma once

#include <cuda_runtime.h>

#include <span>
#include <vector>

#include "01_naive_generation/attention_plan.h"
#include "common/cuda/packed_upload.h"

namespace waitless {

/// An AttentionPlan as kernels read it: the work of one step over a cache, the same in every layer.
struct AttentionPlanView {
  // A tile of queries is a thread block's worth, with a warp for each row; a KV tile is a warp's worth, with a lane for
  // each key.
  static constexpr AttentionPlan::Sizes kSizes = {.query_tile = 8, .few_rows = 8, .kv_tile = 32};

  struct QueryTiles {
    const AttentionPlan::QueryTile* tiles;
    int n;
    int most_kv_tiles;  // of one of them
    double n_pairs;     // of a row and a key of its KV tiles
  };

  QueryTiles few;   // of one row each: for decode attention
  QueryTiles many;  // of up to 8 rows: for prefill attention
  const AttentionPlan::KvTile* kv_tiles;
  const int* slot;  // [T] where append puts each row; SlotTable::kNoSlot: nowhere
};

/// Plans steps on the host and keeps the plan of the latest on the device.
class DeviceAttentionPlan {
 public:
  /// Plans a step; the plan goes to the device in one copy that is queued on the stream. Nothing is allocated once a
  /// plan of this size has been made. Which kernel serves a row depends on how many rows its own sequence has here.
  /// @param slots [T], of each row   @param cached_spans where the tokens before this step lie
  /// @param sizes a test may take fewer or more rows for few
  void make(const Batch& batch, std::span<const int> slots, const AttentionPlan::CachedSpans& cached_spans,
            cudaStream_t stream = nullptr, const AttentionPlan::Sizes& sizes = AttentionPlanView::kSizes);

  /// Valid until the next step is planned.
  const AttentionPlanView& view() const { return view_; }

 private:
  AttentionPlan plan_;
  std::vector<AttentionPlan::QueryTile> few_, many_;
  PackedUpload arrays_;
  AttentionPlanView view_ = {};
};

}  // namespace waitless
