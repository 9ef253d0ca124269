#include "device_attention_plan.h"

#include <algorithm>

namespace waitless {

void DeviceAttentionPlan::make(const Batch& batch, std::span<const int> slots,
                               const AttentionPlan::CachedSpans& cached_spans, cudaStream_t stream,
                               const AttentionPlan::Sizes& sizes) {
  // Plan, and part the rows that decode attention serves from the others
  plan_.make(batch, sizes, cached_spans);
  few_.clear();
  many_.clear();
  for (const AttentionPlan::QueryTile& tile : plan_.query_tiles) (tile.is_few ? few_ : many_).push_back(tile);

  // Pack and copy
  arrays_.clear();
  const auto few = arrays_.add(few_), many = arrays_.add(many_);
  const auto kv_tiles = arrays_.add(plan_.kv_tiles);
  const auto slot = arrays_.add(slots);
  arrays_.upload(stream);

  // Say where everything lies
  const auto tiles = [&](const std::vector<AttentionPlan::QueryTile>& on_host, const auto& place) {
    AttentionPlanView::QueryTiles view = {arrays_.at(place), int(on_host.size()), 0, 0.0};
    for (const AttentionPlan::QueryTile& tile : on_host) {
      view.most_kv_tiles = std::max(view.most_kv_tiles, tile.n_kv_tiles);
      for (int i = 0; i < tile.n_kv_tiles; ++i) {
        view.n_pairs += double(tile.n_rows) * plan_.kv_tiles[tile.first_kv_tile + i].n;
      }
    }
    return view;
  };
  view_ = {tiles(few_, few), tiles(many_, many), arrays_.at(kv_tiles), arrays_.at(slot)};
}

}  // namespace waitless
