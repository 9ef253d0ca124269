#include "attention.h"

#include <cmath>
#include <vector>

#include "common/base/not_implemented.h"
#include "common/tensor/parallel.h"
#include "softmax.h"

namespace waitless {

void attention(const Config& config, const ConstMatrixRef& q, const ConstMatrixRef& k, const ConstMatrixRef& v,
               const Batch& batch, MatrixRef out) {
  // EXERCISE(1.5): check the shapes; then for each row and head: scores of the rows it sees, scaled; softmax; weighted
  // sum of their values.
  // SOLUTION_BEGIN(1.5)
  const Index T = batch.n_rows(), D = config.head_dim;
  check_shape("attention: q", q, T, config.q_dim());
  check_shape("attention: k", k, T, config.kv_dim());
  check_shape("attention: v", v, T, config.kv_dim());
  check_shape("attention: out", out, T, config.q_dim());
  const Index q_heads_per_kv_head = config.n_heads / config.n_kv_heads;

  parallel_for(T, [&](Index t) {
    // Find the rows that row t sees
    std::vector<Index> visible;
    for (Index s = 0; s < T; ++s) {
      if (batch.sees(int(t), int(s))) visible.push_back(s);
    }

    Matrix weights(1, Index(visible.size()));
    for (Index h = 0; h < config.n_heads; ++h) {
      const Index kv_column = h / q_heads_per_kv_head * D;
      const auto query = q.row(t).segment(h * D, D);

      // Score them, and turn scores into weights
      for (std::size_t i = 0; i < visible.size(); ++i) {
        weights(Index(i)) = query.dot(k.row(visible[i]).segment(kv_column, D)) / std::sqrt(float(D));
      }
      softmax({weights.data(), visible.size()});

      // Mix their values
      auto mixed = out.row(t).segment(h * D, D);
      mixed.setZero();
      for (std::size_t i = 0; i < visible.size(); ++i)
        mixed += weights(Index(i)) * v.row(visible[i]).segment(kv_column, D);
    }
  });
  // SOLUTION_END(1.5)
}

}  // namespace waitless
