#pragma once

#include <cstdint>

#include "common/model/config.h"

namespace waitless {

/// What decides how much attention remembers of one token.
///
/// Multi-head attention keeps a key and a value for each head, grouped-query attention for each group of heads,
/// multi-query attention for all heads together: n_kv_heads tells them apart. Multi-head latent attention (MLA) keeps
/// one compressed latent, from which all keys and values can be computed, and one rotated key that all heads share.
struct KvShape {
  int n_layers = 0;
  int n_kv_heads = 0;
  int head_dim = 0;
  int latent_dim = 0;  // above 0: MLA; n_kv_heads and head_dim do not matter then
  int rope_dim = 0;    // of MLA's rotated key
};

/// The shape of a model that this course can run.
KvShape kv_shape(const Config& config);

/// Bytes that the caches of all layers keep for one token: 2 * n_layers * n_kv_heads * head_dim numbers, or
/// n_layers * (latent_dim + rope_dim) for MLA, in bits; then rounded up to whole bytes, once for all layers together.
/// Source: Ainslie et al. 2023 (grouped queries); DeepSeek-AI 2024, DeepSeek-V2, table 1 (MLA).
/// @param bits_per_number 32 for float, 16 for half and bfloat16, 8, 4, ...
/// @throws std::invalid_argument unless bits_per_number, n_layers and the sizes in use are at least 1
///         (rope_dim may be 0)
std::int64_t kv_bytes_per_token(const KvShape& shape, int bits_per_number);

}  // namespace waitless
