#pragma once

#include <filesystem>
#include <vector>

#include "common/model/config.h"
#include "common/model/weight.h"

namespace waitless {

class GgufFile;

/// The weights of one decoder layer. Matrices are [outputs, inputs]; norms are [1, d_model].
struct LayerWeights {
  Weight attention_norm;
  Weight query;             // [n_heads * head_dim, d_model]
  Weight key;               // [n_kv_heads * head_dim, d_model]
  Weight value;             // [n_kv_heads * head_dim, d_model]
  Weight attention_output;  // [d_model, n_heads * head_dim]
  Weight feed_forward_norm;
  Weight gate;  // [d_ff, d_model]
  Weight up;    // [d_ff, d_model]
  Weight down;  // [d_model, d_ff]
};

struct Model {
  Config config;
  Weight token_embedding;  // [vocab_size, d_model]
  std::vector<LayerWeights> layers;
  Weight output_norm;  // [1, d_model]
  Weight output;       // [vocab_size, d_model]; the token embedding itself when the two are tied

  /// Bytes of all weights that one forward pass reads: every matrix once, and the embedding only as the output
  /// projection (a row of it per token otherwise, which is not counted).
  Index bytes_per_forward() const;
};

/// What to do with weights that are not F32.
enum class Expand { kNo, kToF32 };

/// Reads a `llama` model. Without expansion the weights stay in the mapped file.
/// @throws InputError if the file is broken, is of another architecture, or uses what the course does not
///         support; the sentence names the file and the reason
Model load_model(const GgufFile& file, Expand expand = Expand::kToF32);
Model load_model(const std::filesystem::path& path, Expand expand = Expand::kToF32);

}  // namespace waitless
