#include "sample.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "common/not_implemented.h"
#include "common/tensor/matrix.h"
#include "softmax.h"

namespace waitless {

void sampling_distribution(std::span<const float> logits, const SamplingOptions& options,
                           std::span<float> distribution) {
  // EXERCISE(1.8): check the arguments; then temperature, top k, softmax, top p, rescale, in this order.
  // SOLUTION_BEGIN(1.8)
  const std::size_t V = logits.size();
  check_argument(V > 0 && distribution.size() == V, "sample: logits and distribution must have the same size");
  check_argument(std::none_of(logits.begin(), logits.end(), [](float x) { return std::isnan(x); }),
                 "sample: a logit is NaN");
  check_argument(options.temperature >= 0 && std::isfinite(options.temperature), "sample: bad temperature");
  check_argument(options.top_k >= 0, "sample: top_k must not be negative");
  check_argument(options.top_p > 0 && options.top_p <= 1, "sample: top_p must be in (0, 1]");

  std::vector<int> by_likelihood(V);  // token ids, most likely first
  std::iota(by_likelihood.begin(), by_likelihood.end(), 0);
  std::stable_sort(by_likelihood.begin(), by_likelihood.end(), [&](int a, int b) { return logits[a] > logits[b]; });

  std::fill(distribution.begin(), distribution.end(), 0.0f);
  if (options.temperature == 0) {
    distribution[by_likelihood[0]] = 1.0f;
    return;
  }

  const std::size_t k = options.top_k == 0 ? V : std::min(V, std::size_t(options.top_k));
  std::vector<float> kept(k);  // probabilities, most likely first
  for (std::size_t i = 0; i < k; ++i) {
    kept[i] = (logits[by_likelihood[i]] - logits[by_likelihood[0]]) / options.temperature;
  }
  softmax(kept);

  double sum = 0;
  std::size_t n_kept = 0;
  while (n_kept < k && (sum < options.top_p || options.top_p == 1)) sum += kept[n_kept++];
  for (std::size_t i = 0; i < n_kept; ++i) distribution[by_likelihood[i]] = float(kept[i] / sum);
  // SOLUTION_END(1.8)
}

int sample(std::span<const float> logits, const SamplingOptions& options, Random& random,
           std::span<float> distribution) {
  // EXERCISE(1.8): one uniform draw; walk the cumulative sum of the distribution until it exceeds the draw.
  // SOLUTION_BEGIN(1.8)
  sampling_distribution(logits, options, distribution);
  const double draw = random.uniform();
  double cumulative = 0;
  int last_possible = 0;  // taken if rounding leaves the whole sum below the draw
  for (std::size_t token = 0; token < distribution.size(); ++token) {
    if (distribution[token] == 0) continue;
    last_possible = int(token);
    cumulative += distribution[token];
    if (cumulative > draw) break;
  }
  return last_possible;
  // SOLUTION_END(1.8)
}

}  // namespace waitless
