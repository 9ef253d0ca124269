#include "attention.h"

#include <algorithm>
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

  // What is added to the scores, the same for all heads. Scratch is kept from call to call, so that nothing is
  // allocated.
  thread_local Matrix mask_scratch;
  if (mask_scratch.rows() < T) mask_scratch.resize(T, T);
  MatrixRef mask = mask_scratch.topLeftCorner(T, T);
  for (Index t = 0; t < T; ++t) {
    for (Index s = 0; s < T; ++s) mask(t, s) = batch.sees(int(t), int(s)) ? 0 : -std::numeric_limits<float>::infinity();
  }

  // A task is one head of one tile of rows. It leaves out the keys after the last one that a row of the tile sees: in a
  // causal batch that is nearly half of the work.
  constexpr Index kTileRows = 64;
  const Index n_tiles = (T + kTileRows - 1) / kTileRows;
  parallel_for(config.n_heads * n_tiles, [&](Index task) {
    const Index h = task / n_tiles, kv_column = h / queries_per_kv_head * D;
    const Index first = task % n_tiles * kTileRows, n_rows = std::min(kTileRows, T - first);
    Index n_keys = 0;
    for (Index t = first; t < first + n_rows; ++t) {
      for (Index s = n_keys; s < T; ++s) {
        if (mask(t, s) == 0) n_keys = s + 1;
      }
    }

    thread_local Matrix score_scratch;
    if (score_scratch.cols() < T) score_scratch.resize(kTileRows, T);
    MatrixRef scores = score_scratch.topLeftCorner(n_rows, n_keys);
    scores.noalias() = scale * q.block(first, h * D, n_rows, D) * k.block(0, kv_column, n_keys, D).transpose();
    scores += mask.block(first, 0, n_rows, n_keys);
    for (Index t = 0; t < n_rows; ++t) softmax({scores.row(t).data(), std::size_t(n_keys)});
    out.block(first, h * D, n_rows, D).noalias() = scores * v.block(0, kv_column, n_keys, D);
  });
  // SOLUTION_END(1.5)
}

}  // namespace waitless
