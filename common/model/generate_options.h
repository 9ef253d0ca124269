#pragma once

#include <cstdint>

namespace waitless {

/// How the next token is chosen from the logits.
struct SamplingOptions {
  float temperature = 0.0f;  // divides the logits; 0: always the most likely token (greedy)
  int top_k = 0;             // only the k most likely tokens stay; 0: all
  float top_p = 1.0f;        // only the most likely tokens that together reach probability p stay; 1: all
};

/// What a generation may do.
struct GenerateOptions {
  int max_tokens = 64;
  SamplingOptions sampling = {};
  std::uint64_t seed = 1;
};

}  // namespace waitless
