#include "attention.h"

#include <cmath>
#include <limits>

#include "common/not_implemented.h"
#include "common/tensor/parallel.h"
#include "softmax.h"

namespace waitless {

void attention(const Config& config, const ConstMatrixRef& q, const ConstMatrixRef& k, const ConstMatrixRef& v,
               const Batch& batch, MatrixRef out) {
  // EXERCISE(1.5): check the shapes; then for each head: scores, scale, mask, softmax, weighted sum of the values.
  // SOLUTION_BEGIN(1.5)
  const Index T = batch.n_rows(), D = config.head_dim;
  check_shape("attention: q", q, T, config.q_dim());
  check_shape("attention: k", k, T, config.kv_dim());
  check_shape("attention: v", v, T, config.kv_dim());
  check_shape("attention: out", out, T, config.q_dim());
  const int queries_per_kv_head = config.n_heads / config.n_kv_heads;
  const float scale = 1.0f / std::sqrt(float(D));

  parallel_for(config.n_heads, [&](Index h) {
    const Index kv_column = h / queries_per_kv_head * D;
    thread_local Matrix scores;  // [T, T], kept from call to call so that nothing is allocated in between
    scores.resize(T, T);
    scores.noalias() = q.middleCols(h * D, D) * k.middleCols(kv_column, D).transpose();
    for (Index t = 0; t < T; ++t) {
      for (Index s = 0; s < T; ++s) {
        scores(t, s) = batch.sees(int(t), int(s)) ? scores(t, s) * scale : -std::numeric_limits<float>::infinity();
      }
      softmax({scores.row(t).data(), std::size_t(T)});
    }
    out.middleCols(h * D, D).noalias() = scores * v.middleCols(kv_column, D);
  });
  // SOLUTION_END(1.5)
}

}  // namespace waitless
