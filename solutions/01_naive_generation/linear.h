#pragma once

#include "common/model/weight.h"
#include "common/tensor/matrix.h"

namespace waitless {

/// A linear layer: out = x W^T. W is stored [outputs, inputs], so row o of W holds the weights of output o.
/// @param w [O, I], F32   @param x [T, I]   @param out [T, O], must not overlap x
/// @throws std::invalid_argument if those shapes do not hold or w is of another type
void linear(const Weight& w, const ConstMatrixRef& x, MatrixRef out);

}  // namespace waitless
