#include "kv_bytes.h"

#include "common/base/not_implemented.h"
#include "common/tensor/matrix.h"

namespace waitless {

KvShape kv_shape(const Config& config) {
  return {.n_layers = config.n_layers, .n_kv_heads = config.n_kv_heads, .head_dim = config.head_dim};
}

std::int64_t kv_bytes_per_token(const KvShape& shape, int bits_per_number) {
  // EXERCISE(2.1): check the arguments; then numbers per layer, times layers, times bits. All in 64-bit integers.
  // SOLUTION_BEGIN(2.1)
  const bool is_latent = shape.latent_dim > 0;
  check_argument(bits_per_number >= 1, "kv_bytes_per_token: a number needs at least one bit");
  check_argument(shape.n_layers >= 1, "kv_bytes_per_token: needs at least one layer");
  check_argument(shape.latent_dim >= 0 && shape.rope_dim >= 0, "kv_bytes_per_token: a size is negative");
  check_argument(is_latent || (shape.n_kv_heads >= 1 && shape.head_dim >= 1),
                 "kv_bytes_per_token: needs at least one head of at least one number");
  const std::int64_t per_layer =
      is_latent ? std::int64_t(shape.latent_dim) + shape.rope_dim : std::int64_t(2) * shape.n_kv_heads * shape.head_dim;
  return (per_layer * shape.n_layers * bits_per_number + 7) / 8;
  // SOLUTION_END(2.1)
}

}  // namespace waitless
