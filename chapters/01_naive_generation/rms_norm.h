#pragma once

#include "common/tensor/matrix.h"

namespace waitless {

/// Root-mean-square norm: divides each row by the root of its mean square, then scales each column.
/// out[t, i] = x[t, i] / sqrt(mean_j x[t, j]^2 + eps) * gain[i]
/// Source: Zhang and Sennrich 2019.
/// @param x [T, D]; T may be 0   @param gain [1, D], not a column   @param out [T, D], may be x itself
/// @throws std::invalid_argument if those shapes do not hold
void rms_norm(const ConstMatrixRef& x, const ConstMatrixRef& gain, float eps, MatrixRef out);

}  // namespace waitless
