#pragma once

#include <vector>

#include "common/tensor/matrix.h"

namespace waitless {

/// The sum of each row.
/// @param x [R, C], any size; C = 0 gives zeros
/// @return [R]
std::vector<float> row_sums(const ConstMatrixRef& x);

}  // namespace waitless
