#include "latent_attention.h"

#include <cmath>

#include "01_naive_generation/softmax.h"
#include "common/base/not_implemented.h"

namespace waitless {

Matrix expanded_attention(const LatentWeights& weights, const LatentCache& cache, const Matrix& q) {
  // EXERCISE(2.9): check the shapes; keys and values of all heads from the latents; then attention as you know it.
  not_implemented("2.9");
}

Matrix absorbed_attention(const LatentWeights& weights, const LatentCache& cache, const Matrix& q) {
  // EXERCISE(2.9): check the shapes; for each head move its query into the space of the latents; scores and weighted
  // sum there; one value at the end.
  not_implemented("2.9");
}

}  // namespace waitless
