#include "latent_attention.h"

#include <cmath>

#include "01_naive_generation/softmax.h"
#include "common/base/not_implemented.h"

namespace waitless {
// SOLUTION_BEGIN(2.9)
namespace {

void require_shape(const char* name, const ConstMatrixRef& m, Index rows, Index cols) {
  check_shape(name, m, rows, cols);
}

void check(const LatentWeights& w, const LatentCache& cache, const Matrix& q) {
  const Index S = cache.latents.rows(), latent_dim = w.key.cols();
  check_argument(S > 0, "latent attention: the cache is empty");
  require_shape("latent attention: key", w.key, Index(w.n_heads) * w.nope_dim, latent_dim);
  require_shape("latent attention: value", w.value, Index(w.n_heads) * w.value_dim, latent_dim);
  require_shape("latent attention: latents", cache.latents, S, latent_dim);
  require_shape("latent attention: rotated_keys", cache.rotated_keys, S, w.rope_dim);
  require_shape("latent attention: q", q, 1, Index(w.n_heads) * (w.nope_dim + w.rope_dim));
}

}  // namespace
// SOLUTION_END(2.9)

Matrix expanded_attention(const LatentWeights& weights, const LatentCache& cache, const Matrix& q) {
  // EXERCISE(2.9): check the shapes; keys and values of all heads from the latents; then attention as you know it.
  // SOLUTION_BEGIN(2.9)
  check(weights, cache, q);
  const Index N = weights.nope_dim, R = weights.rope_dim, V = weights.value_dim;
  const Matrix keys = cache.latents * weights.key.transpose(), values = cache.latents * weights.value.transpose();
  Matrix out(1, weights.n_heads * V);
  for (Index h = 0; h < weights.n_heads; ++h) {
    const auto q_nope = q.middleCols(h * (N + R), N), q_rope = q.middleCols(h * (N + R) + N, R);
    Matrix scores = q_nope * keys.middleCols(h * N, N).transpose() + q_rope * cache.rotated_keys.transpose();
    scores /= std::sqrt(float(N + R));
    softmax({scores.data(), std::size_t(scores.size())});
    out.middleCols(h * V, V) = scores * values.middleCols(h * V, V);
  }
  return out;
  // SOLUTION_END(2.9)
}

Matrix absorbed_attention(const LatentWeights& weights, const LatentCache& cache, const Matrix& q) {
  // EXERCISE(2.9): check the shapes; for each head move its query into the space of the latents; scores and weighted
  // sum there; one value at the end.
  // SOLUTION_BEGIN(2.9)
  check(weights, cache, q);
  const Index N = weights.nope_dim, R = weights.rope_dim, V = weights.value_dim;
  Matrix out(1, weights.n_heads * V);
  for (Index h = 0; h < weights.n_heads; ++h) {
    const Matrix absorbed = q.middleCols(h * (N + R), N) * weights.key.middleRows(h * N, N);  // [1, latent_dim]
    Matrix scores =
        absorbed * cache.latents.transpose() + q.middleCols(h * (N + R) + N, R) * cache.rotated_keys.transpose();
    scores /= std::sqrt(float(N + R));
    softmax({scores.data(), std::size_t(scores.size())});
    out.middleCols(h * V, V) = scores * cache.latents * weights.value.middleRows(h * V, V).transpose();
  }
  return out;
  // SOLUTION_END(2.9)
}

}  // namespace waitless
