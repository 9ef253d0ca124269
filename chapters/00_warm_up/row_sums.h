#pragma once

#include <vector>

#include "common/tensor/matrix.h"

namespace waitless {

/// The sum of each row, added up in float.
/// @param x [R, C], any size; C = 0 gives zeros. It may be a view, whose rows lie further apart than they are long:
///          element [r, c] is x(r, c), not x.data()[r * C + c]
/// @return [R]
std::vector<float> row_sums(const ConstMatrixRef& x);

}  // namespace waitless
