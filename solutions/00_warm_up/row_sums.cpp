#include "row_sums.h"

#include "common/base/not_implemented.h"

namespace waitless {

std::vector<float> row_sums(const ConstMatrixRef& x) {
  // EXERCISE(0.1): for each row, add up its columns.
  // SOLUTION_BEGIN(0.1)
  std::vector<float> sums(x.rows(), 0.0f);
  for (Index r = 0; r < x.rows(); ++r) {
    for (Index c = 0; c < x.cols(); ++c) sums[r] += x(r, c);
  }
  return sums;
  // SOLUTION_END(0.1)
}

}  // namespace waitless
