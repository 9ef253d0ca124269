#pragma once

#include <functional>
#include <span>
#include <vector>

#include "common/model/batch.h"
#include "common/model/slot_span.h"

namespace waitless {

/// Which keys meet which queries in one step, planned once for all layers, on the CPU and on the device alike. Queries
/// are taken in tiles of rows of one sequence, keys in KV tiles that lie side by side, and a tile of queries names the
/// KV tiles that some of its rows see. So a row costs as much as its own sequence is long, whatever else is in the
/// batch or in the cache. Given; chapter 05 teaches why tiles are fast.
struct AttentionPlan {
  struct Sizes {
    int query_tile;  // rows of a tile at most
    int few_rows;    // fewer neighbouring rows of a sequence than this are tiles of one row each
    int kv_tile;     // keys of a KV tile at most
  };

  // What follows goes to the device as it is, in words of 4 bytes: what is true or false is an int.

  /// Keys side by side: slots of the cache, or rows of the batch.
  struct KvTile {
    int is_cached;
    int is_seen_whole;  // by every row of the tile of queries; else each pair has to be asked
    int first, n;       // slot or row
    int sequence;
    int position;  // of the first one, if it is cached; the others follow
  };
  /// Consecutive rows of one sequence (and one context).
  struct QueryTile {
    int first_row, n_rows;
    int is_few;  // one of fewer than few_rows neighbours
    int first_kv_tile, n_kv_tiles;
  };

  std::vector<QueryTile> query_tiles;  // together all rows, in order
  std::vector<KvTile> kv_tiles;

  /// Where a cache holds the tokens of a sequence that came before this step.
  using CachedSpans = std::function<std::span<const SlotSpan>(int sequence)>;

  /// Forgets the step before. Nothing is allocated once a batch of this kind has been planned.
  void make(const Batch& batch, const Sizes& sizes, const CachedSpans& cached_spans = {});

  /// Whether row t of the batch sees key i of a KV tile.
  static bool sees(const Batch& batch, int t, const KvTile& keys, int i) {
    return keys.is_cached ? batch.sees_cached(t, keys.sequence, keys.position + i) : batch.sees(t, keys.first + i);
  }

 private:
  /// Neighbouring rows of one sequence, at most a KV tile of them.
  struct Run {
    int sequence, first, n;
    int lowest, highest;  // position
  };

  void find_runs(const Batch& batch, int longest);
  void add_keys(const Batch& batch, const QueryTile& tile, int sequence, int kv_tile, const CachedSpans& cached_spans);

  std::vector<Run> runs_;  // by sequence
};

}  // namespace waitless
