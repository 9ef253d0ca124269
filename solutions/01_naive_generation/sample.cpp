#include "sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "common/base/not_implemented.h"
#include "common/tensor/matrix.h"
#include "softmax.h"

namespace waitless {

// SOLUTION_BEGIN(1.10)
namespace {
constexpr float kInfinity = std::numeric_limits<float>::infinity();
}  // namespace
// SOLUTION_END(1.10)

void sampling_distribution(std::span<const float> logits, const SamplingOptions& options,
                           std::span<float> distribution) {
  // EXERCISE(1.10): check the arguments; temperature 0 is the largest logit; else temperature, top k, softmax, top p,
  // rescale, in this order.
  // SOLUTION_BEGIN(1.10)
  const std::size_t V = logits.size();
  check_argument(V > 0 && distribution.size() == V, "sample: logits and distribution must have the same size");
  check_argument(std::none_of(logits.begin(), logits.end(), [](float x) { return std::isnan(x); }),
                 "sample: a logit is NaN");
  check_argument(options.temperature >= 0 && std::isfinite(options.temperature), "sample: bad temperature");
  check_argument(options.top_k >= 0, "sample: top_k must not be negative");
  check_argument(options.top_p > 0 && options.top_p <= 1, "sample: top_p must be in (0, 1]");

  const float largest = *std::max_element(logits.begin(), logits.end());
  check_argument(largest != -kInfinity, "sample: every logit is -infinity");

  if (options.temperature == 0) {
    std::fill(distribution.begin(), distribution.end(), 0.0f);
    distribution[std::find(logits.begin(), logits.end(), largest) - logits.begin()] = 1.0f;
    return;
  }

  // The largest logit is subtracted before the division, and in double, so that nothing overflows.
  for (std::size_t i = 0; i < V; ++i) {
    distribution[i] = logits[i] == largest ? 0.0f : float((double(logits[i]) - largest) / options.temperature);
  }
  const std::size_t k = options.top_k == 0 ? V : std::min(V, std::size_t(options.top_k));
  if (k == V && options.top_p == 1) {
    softmax(distribution);
    return;
  }

  std::vector<int> rest(V);  // a heap of tokens: the most likely can be taken without sorting the others
  std::iota(rest.begin(), rest.end(), 0);
  const auto is_less_likely = [&](int a, int b) { return logits[a] < logits[b] || (logits[a] == logits[b] && a > b); };
  std::make_heap(rest.begin(), rest.end(), is_less_likely);
  const auto take_most_likely = [&] {
    std::pop_heap(rest.begin(), rest.end(), is_less_likely);
    const int token = rest.back();
    rest.pop_back();
    return token;
  };

  if (k < V) {
    std::vector<int> top;
    while (top.size() < k) top.push_back(take_most_likely());
    for (const int token : rest) distribution[token] = -kInfinity;
    rest = top;  // in falling order they are a heap already
  }
  softmax(distribution);
  if (options.top_p == 1) return;

  constexpr double kRounding = 1e-6;
  std::vector<int> kept;
  double sum = 0;
  while (!rest.empty() && sum < options.top_p * (1 - kRounding)) {
    kept.push_back(take_most_likely());
    sum += distribution[kept.back()];
  }
  for (const int token : kept) distribution[token] = float(distribution[token] / sum);
  for (const int token : rest) distribution[token] = 0.0f;
  // SOLUTION_END(1.10)
}

int sample(std::span<const float> logits, const SamplingOptions& options, Random& random,
           std::span<float> distribution) {
  // EXERCISE(1.10): one uniform draw; walk the cumulative sum of the distribution until it exceeds the draw.
  // SOLUTION_BEGIN(1.10)
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
  // SOLUTION_END(1.10)
}

}  // namespace waitless
