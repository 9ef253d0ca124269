#pragma once

#include <span>

#include "common/model/generate_options.h"
#include "common/tensor/random.h"

namespace waitless {

/// The distribution that the next token is drawn from. In this order: divide by the temperature; keep the top k;
/// softmax over those; keep the most likely until their sum reaches p, the token that crosses p included; scale what
/// is kept to sum 1.
///
/// - More likely is the token with the larger logit, of equal logits the one with the lower id.
/// - At temperature 0 the most likely token has probability 1, whatever top_k and top_p are.
/// - A sum that is short of p by a millionth of p has reached it: probabilities are rounded. Of ten equal tokens,
///   p = 0.3 keeps three. At top_p = 1 every token stays that top_k has kept, however unlikely.
/// - A logit of -infinity (a forbidden token) gives probability 0. Infinite logits take all of the probability, in
/// equal
///   shares. Any finite logits will do, at any temperature: nothing overflows on the way.
/// - Nothing is allocated or sorted unless top_k or top_p asks for it.
/// @param logits [V]   @param distribution [V], written; must not overlap logits
/// @throws std::invalid_argument if the sizes differ, V is 0, a logit is NaN, every logit is -infinity, or an option is
///         out of its range (temperature finite and >= 0, top_k >= 0, 0 < top_p <= 1)
void sampling_distribution(std::span<const float> logits, const SamplingOptions& options,
                           std::span<float> distribution);

/// Draws a token from sampling_distribution() by inverting its cumulative sum in the order of ids: the first token
/// whose cumulative probability exceeds the uniform draw. The sum is a double: in a float, a vocabulary of 100,000
/// small probabilities adds up to something else. If rounding leaves even the whole sum below the draw, it is the last
/// token with a probability above 0. Takes exactly one draw from `random`, at temperature 0 too.
/// @param distribution [V] receives the distribution, so that callers need no luck to check it
/// @return the token, which always has probability > 0
/// @throws std::invalid_argument as sampling_distribution()
int sample(std::span<const float> logits, const SamplingOptions& options, Random& random,
           std::span<float> distribution);

}  // namespace waitless
