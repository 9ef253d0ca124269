#include "kv_bytes.h"

#include "common/base/not_implemented.h"
#include "common/tensor/matrix.h"

namespace waitless {

KvShape kv_shape(const Config& config) {
  return {.n_layers = config.n_layers, .n_kv_heads = config.n_kv_heads, .head_dim = config.head_dim};
}

std::int64_t kv_bytes_per_token(const KvShape& shape, int bits_per_number) {
  // EXERCISE(2.1): check the arguments; then numbers per layer, times layers, times bits. All in 64-bit integers.
  not_implemented("2.1");
}

}  // namespace waitless
