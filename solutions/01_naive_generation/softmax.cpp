#include "softmax.h"

#include <cfloat>

#include "common/base/not_implemented.h"
#include "common/tensor/matrix.h"

namespace waitless {

void softmax(std::span<float> row) {
  // EXERCISE(1.1): subtract the maximum, exponentiate, divide by the sum; masked scores become exactly 0.
  // SOLUTION_BEGIN(1.1)
  check_argument(!row.empty(), "softmax: the row is empty");
  Eigen::Map<Eigen::ArrayXf> x(row.data(), Index(row.size()));
  x = (x - x.maxCoeff()).exp();
  // On some processors Eigen's exp(-infinity) is a number just above 0; everything that small is 0.
  for (float& weight : row) weight = weight < FLT_MIN ? 0.0f : weight;
  const float sum = x.sum();  // at least 1, the maximum's own share, unless a NaN crept in
  check_argument(sum >= 1, "softmax: the row has no finite maximum (is every key masked?)");
  x /= sum;
  // SOLUTION_END(1.1)
}

}  // namespace waitless
