#include "attention_plan.h"

#include <algorithm>
#include <limits>

namespace waitless {

void AttentionPlan::make(const Batch& batch, const Sizes& sizes, const CachedSpans& cached_spans) {
  query_tiles.clear();
  kv_tiles.clear();
  find_runs(batch, sizes.kv_tile);

  const auto context_of = [&](int t) { return batch.has_context(t) ? batch.context[t].sequence : batch.sequence[t]; };
  const auto belong_together = [&](int t, int s) {
    return batch.sequence[t] == batch.sequence[s] && context_of(t) == context_of(s);
  };
  const int T = batch.n_rows();
  for (int first = 0, end; first < T; first = end) {
    for (end = first + 1; end < T && belong_together(first, end);) ++end;
    const bool is_few = end - first < sizes.few_rows;
    for (int row = first, n_rows; row < end; row += n_rows) {
      n_rows = is_few ? 1 : std::min(sizes.query_tile, end - row);
      QueryTile tile{row, n_rows, is_few, int(kv_tiles.size()), 0};
      add_keys(batch, tile, batch.sequence[row], sizes.kv_tile, cached_spans);
      if (context_of(row) != batch.sequence[row]) {
        add_keys(batch, tile, context_of(row), sizes.kv_tile, cached_spans);
      }
      tile.n_kv_tiles = int(kv_tiles.size()) - tile.first_kv_tile;
      query_tiles.push_back(tile);
    }
  }
}

void AttentionPlan::find_runs(const Batch& batch, int longest) {
  runs_.clear();
  for (int first = 0, end; first < batch.n_rows(); first = end) {
    Run run{batch.sequence[first], first, 0, batch.position[first], batch.position[first]};
    for (end = first; end < batch.n_rows() && batch.sequence[end] == run.sequence && end - first < longest; ++end) {
      run.lowest = std::min(run.lowest, batch.position[end]);
      run.highest = std::max(run.highest, batch.position[end]);
    }
    run.n = end - first;
    runs_.push_back(run);
  }
  std::sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) {
    return a.sequence != b.sequence ? a.sequence < b.sequence : a.first < b.first;
  });
}

/// The KV tiles of one sequence that some row of the tile sees.
void AttentionPlan::add_keys(const Batch& batch, const QueryTile& tile, int sequence, int kv_tile,
                             const CachedSpans& cached_spans) {
  // The positions that all rows see, and those that any of them sees
  const bool is_own = sequence == batch.sequence[tile.first_row];
  int all_from = std::numeric_limits<int>::min(), all_to = std::numeric_limits<int>::max();
  int any_from = all_to, any_to = all_from;
  const auto include = [&](int from, int to) {
    all_from = std::max(all_from, from);
    all_to = std::min(all_to, to);
    any_from = std::min(any_from, from);
    any_to = std::max(any_to, to);
  };
  for (int t = tile.first_row; t < tile.first_row + tile.n_rows; ++t) {
    if (is_own) include(batch.first_visible[t], batch.last_visible[t]);
    if (batch.has_context(t) && batch.context[t].sequence == sequence)
      include(batch.context[t].first, batch.context[t].last);
  }
  const auto add = [&](KvTile keys, int lowest, int highest, bool is_interval) {
    if (highest < any_from || lowest > any_to) return;
    keys.is_seen_whole = is_interval && lowest >= all_from && highest <= all_to;
    kv_tiles.push_back(keys);
  };

  if (cached_spans) {
    for (const SlotSpan& span : cached_spans(sequence)) {
      for (int done = 0; done < span.n; done += kv_tile) {
        const int n = std::min(kv_tile, span.n - done), position = span.position + done;
        add({true, false, span.slot + done, n, sequence, position}, position, position + n - 1, true);
      }
    }
  }
  const auto comes_before = [](const Run& run, int its_sequence) { return run.sequence < its_sequence; };
  for (auto run = std::lower_bound(runs_.begin(), runs_.end(), sequence, comes_before);
       run != runs_.end() && run->sequence == sequence; ++run) {
    add({false, false, run->first, run->n, sequence, 0}, run->lowest, run->highest, batch.parent.empty());
  }
}

}  // namespace waitless
