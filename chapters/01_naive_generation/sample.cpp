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
  not_implemented("1.8", logits, options, distribution);
}

int sample(std::span<const float> logits, const SamplingOptions& options, Random& random,
           std::span<float> distribution) {
  // EXERCISE(1.8): one uniform draw; walk the cumulative sum of the distribution until it exceeds the draw.
  not_implemented("1.8", logits, options, random, distribution);
}

}  // namespace waitless
