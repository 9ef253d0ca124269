#pragma once

#include "common/tensor/matrix.h"

namespace waitless {

/// Multiplies each column by a number of its own: out[t, i] = x[t, i] * scale[i].
/// @param x [T, D]; T may be 0   @param scale [1, D], not a column   @param out [T, D], may be x itself
/// @throws std::invalid_argument if those shapes do not hold
void scale_columns(const ConstMatrixRef& x, const ConstMatrixRef& scale, MatrixRef out);

}  // namespace waitless
