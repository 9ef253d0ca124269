#include "rms_norm.h"

#include <cmath>

#include "common/base/not_implemented.h"
#include "common/tensor/parallel.h"

namespace waitless {

void rms_norm(const ConstMatrixRef& x, const ConstMatrixRef& gain, float eps, MatrixRef out) {
  // EXERCISE(1.2): check the shapes; then scale each row by its own root mean square, eps inside the root.
  not_implemented("1.2");
}

}  // namespace waitless
