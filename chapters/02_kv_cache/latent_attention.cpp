#include "latent_attention.h"

#include <cmath>

#include "01_naive_generation/softmax.h"
#include "common/not_implemented.h"

namespace waitless {
namespace {

void require_shape(const char* name, const ConstMatrixRef& m, Index rows, Index cols) { check_shape(name, m, rows, cols); }

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

Matrix expanded_attention(const LatentWeights& weights, const LatentCache& cache, const Matrix& q) {
  // EXERCISE(2.7): keys and values of all heads from the latents; then for each head attention as you know it.
  not_implemented("2.7", weights, cache, q);
}

Matrix absorbed_attention(const LatentWeights& weights, const LatentCache& cache, const Matrix& q) {
  // EXERCISE(2.7): for each head move its query into the space of the latents; scores and weighted sum there; one value at
  // the end.
  not_implemented("2.7", weights, cache, q);
}

}  // namespace waitless
