#pragma once

#include <string>

namespace waitless {

/// Rotary position embedding: base of the frequencies, and the factor by which positions are divided first
/// ("linear" scaling; 1 for none).
struct RopeParameters {
  float base = 10000.0f;
  float position_scale = 1.0f;
};

/// The shape of a decoder, as its file declares it.
struct Config {
  std::string architecture = "llama";  // decides how the file is read
  std::string name;                    // of the model, for people
  int vocab_size = 0;
  int context_length = 0;  // positions the model was trained for
  int n_layers = 0;
  int n_heads = 0;     // query heads
  int n_kv_heads = 0;  // key and value heads; each serves n_heads / n_kv_heads query heads
  int head_dim = 0;
  int d_model = 0;  // width of the residual stream
  int d_ff = 0;     // width of the feed-forward block
  float norm_eps = 1e-5f;
  RopeParameters rope;
  bool causal = true;  // no token sees a later one; false for models that fill in blocks (07) or encode (09)

  int q_dim() const { return n_heads * head_dim; }
  int kv_dim() const { return n_kv_heads * head_dim; }
};

}  // namespace waitless
