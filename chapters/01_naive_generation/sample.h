#pragma once

#include <span>

#include "common/tensor/random.h"

namespace waitless {

/// How the next token is chosen from the logits.
struct SamplingOptions {
  float temperature = 0.0f;  // divides the logits; 0: always the most likely token (greedy)
  int top_k = 0;             // only the k most likely tokens stay; 0: all
  float top_p = 1.0f;        // only the most likely tokens that together reach probability p stay
};

/// The distribution that the next token is drawn from. In this order: divide by the temperature; keep the top k;
/// softmax over those; keep the most likely until their sum reaches p, the token that crosses p included; scale what
/// is kept to sum 1. Of equally likely tokens the one with the lower id counts as more likely.
/// At temperature 0 the most likely token has probability 1.
/// @param logits [V]   @param distribution [V]
/// @throws std::invalid_argument if the sizes differ, V is 0, a logit is NaN, or an option is out of its range
///         (temperature finite and >= 0, top_k >= 0, 0 < top_p <= 1)
void sampling_distribution(std::span<const float> logits, const SamplingOptions& options,
                           std::span<float> distribution);

/// Draws a token from sampling_distribution() by inverting its cumulative sum in the order of ids: the first token
/// whose cumulative probability exceeds the uniform draw. Takes exactly one draw from `random`, at temperature 0 too.
/// @param distribution [V] receives the distribution, so that callers need no luck to check it
/// @return the token, which always has probability > 0
int sample(std::span<const float> logits, const SamplingOptions& options, Random& random,
           std::span<float> distribution);

}  // namespace waitless
