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

void sampling_distribution(std::span<const float> logits, const SamplingOptions& options,
                           std::span<float> distribution) {
  // EXERCISE(1.10): check the arguments; temperature 0 is the largest logit; else temperature, top k, softmax, top p,
  // rescale, in this order.
  not_implemented("1.10");
}

int sample(std::span<const float> logits, const SamplingOptions& options, Random& random,
           std::span<float> distribution) {
  // EXERCISE(1.10): one uniform draw; walk the cumulative sum of the distribution until it exceeds the draw.
  not_implemented("1.10");
}

}  // namespace waitless
