#include "cached_attention.h"

#include <cmath>
#include <vector>

#include "01_naive_generation/softmax.h"
#include "common/base/not_implemented.h"
#include "common/tensor/parallel.h"

namespace waitless {

void cached_attention(const Config& config, const KvCache& cache, int layer, const ConstMatrixRef& q,
                      const ConstMatrixRef& k, const ConstMatrixRef& v, const Batch& batch, MatrixRef out) {
  // EXERCISE(2.5): check the shapes; then for each row: find the keys it sees, in the spans of its sequence and among
  // the rows of the batch; for each head scores, softmax, weighted sum of the values.
  // SOLUTION_BEGIN(2.5)
  const Index T = batch.n_rows(), D = config.head_dim, n_new = k.rows() == 0 ? 0 : T;
  check_shape("cached_attention: q", q, T, config.q_dim());
  check_shape("cached_attention: k", k, n_new, config.kv_dim());
  check_shape("cached_attention: v", v, n_new, config.kv_dim());
  check_shape("cached_attention: out", out, T, config.q_dim());
  const int q_heads_per_kv_head = config.n_heads / config.n_kv_heads;

  parallel_for(T, [&](Index t) {
    // Find the slots and the rows that row t sees
    std::vector<Index> slots, rows;
    const auto find_slots = [&](int sequence) {
      for (const SlotSpan& span : cache.slots.spans(sequence)) {
        for (int i = 0; i < span.n; ++i) {
          if (batch.sees_cached(int(t), sequence, span.position + i)) slots.push_back(span.slot + i);
        }
      }
    };
    const int sequence = batch.sequence[t];
    find_slots(sequence);
    if (batch.has_context(int(t)) && batch.context[t].sequence != sequence) find_slots(batch.context[t].sequence);
    for (Index s = 0; s < n_new; ++s) {
      if (batch.sees(int(t), int(s))) rows.push_back(s);
    }

    const std::size_t n_keys = slots.size() + rows.size();
    Matrix weights(1, Index(n_keys));  // of the slots, then of the rows
    for (int h = 0; h < config.n_heads; ++h) {
      const int kv_head = h / q_heads_per_kv_head;
      const auto keys = cache.keys(layer, kv_head), values = cache.values(layer, kv_head);
      const auto new_keys = k.middleCols(kv_head * D, D), new_values = v.middleCols(kv_head * D, D);
      const auto query = q.row(t).segment(h * D, D);

      // Score them, and turn scores into weights
      float* weight = weights.data();
      for (const Index slot : slots) *weight++ = query.dot(keys.row(slot)) / std::sqrt(float(D));
      for (const Index s : rows) *weight++ = query.dot(new_keys.row(s)) / std::sqrt(float(D));
      softmax({weights.data(), n_keys});

      // Mix their values
      auto mixed = out.row(t).segment(h * D, D);
      mixed.setZero();
      weight = weights.data();
      for (const Index slot : slots) mixed += *weight++ * values.row(slot);
      for (const Index s : rows) mixed += *weight++ * new_values.row(s);
    }
  });
  // SOLUTION_END(2.5)
}

}  // namespace waitless
