#include <memory>

#include "01_naive_generation/tiled_attention.h"
#include "cached_attention.h"

namespace waitless {
namespace {

/// `base` with steps that begin and end in the cache's table of slots.
Ops with_steps_of(KvCache& cache, const Ops& base) {
  Ops ops = base;
  ops.begin_step = [&cache, before = base.begin_step](const Batch& batch) {
    if (before) before(batch);
    cache.slots.begin(batch);
  };
  ops.end_step = [&cache, before = base.end_step] {
    if (before) before();
    cache.slots.commit();
  };
  return ops;
}

}  // namespace

Ops cached_ops(KvCache& cache, const Ops& base) {
  Ops ops = with_steps_of(cache, base);
  ops.attention = [&cache](const Config& config, int layer, const ConstMatrixRef& q, const ConstMatrixRef& k,
                           const ConstMatrixRef& v, const Batch& batch, MatrixRef out) {
    if (k.rows() > 0) cache.append(layer, k, v);
    cached_attention(config, cache, layer, q, k, v, batch, out);
  };
  return ops;
}

Ops tiled_cached_ops(KvCache& cache, const Ops& base) {
  Ops ops = with_steps_of(cache, base);
  const auto tiled = std::make_shared<TiledAttention>();
  ops.begin_step = [&cache, tiled, begin_slots = ops.begin_step](const Batch& batch) {
    begin_slots(batch);
    tiled->begin_step(batch, [&cache](int sequence) { return cache.slots.spans(sequence); });
  };
  ops.end_step = [tiled, end_slots = ops.end_step] {
    tiled->end_step();
    end_slots();
  };
  ops.attention = [&cache, tiled](const Config& config, int layer, const ConstMatrixRef& q, const ConstMatrixRef& k,
                                  const ConstMatrixRef& v, const Batch& batch, MatrixRef out) {
    if (k.rows() > 0) cache.append(layer, k, v);
    tiled->attend(config, q, k, v, batch, out, [&](int kv_head) {
      return TiledAttention::CachedHead{cache.keys(layer, kv_head), cache.values(layer, kv_head)};
    });
  };
  return ops;
}

}  // namespace waitless
