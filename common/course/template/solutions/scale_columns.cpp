#include "scale_columns.h"

#include "common/base/not_implemented.h"

namespace waitless {

void scale_columns(const ConstMatrixRef& x, const ConstMatrixRef& scale, MatrixRef out) {
  // EXERCISE(@N@.1): check the shapes; then multiply each element by the scale of its column.
  // SOLUTION_BEGIN(@N@.1)
  check_shape("scale_columns: scale", scale, 1, x.cols());
  check_shape("scale_columns: out", out, x.rows(), x.cols());
  for (Index t = 0; t < x.rows(); ++t) out.row(t) = x.row(t).cwiseProduct(scale.row(0));
  // SOLUTION_END(@N@.1)
}

}  // namespace waitless
