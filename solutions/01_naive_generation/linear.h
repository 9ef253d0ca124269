#pragma once

#include "common/model/weight.h"
#include "common/tensor/matrix.h"

namespace waitless {

/// A linear layer: out = x W^T. W is stored [outputs, inputs], so row o of W holds the weights of output o.
/// What `out` held before does not count.
/// @param w [O, I], F32, read through w.f32(): its rows may lie further apart than they are long
/// @param x [T, I]; T may be 0   @param out [T, O], must not overlap x
/// @throws std::invalid_argument if those shapes do not hold or w is of another format
void linear(const Weight& w, const ConstMatrixRef& x, MatrixRef out);

}  // namespace waitless
