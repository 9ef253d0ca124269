#pragma once

#include "common/model/model.h"
#include "common/tensor/matrix.h"
#include "ops.h"
#include "workspace.h"

namespace waitless {

/// The gated activation: out = silu(gate) * up, element by element, with silu(z) = z / (1 + exp(-z)).
/// Source: Shazeer 2020, equation 6.
/// @param gate, up, out [T, d_ff]; out may be one of the others
/// @throws std::invalid_argument if the shapes differ
void swiglu(const ConstMatrixRef& gate, const ConstMatrixRef& up, MatrixRef out);

/// The feed-forward block of one layer: out = down(swiglu(gate(x), up(x))).
/// @param x, out [T, d_model]; must not overlap
/// @param workspace uses gate and up
void feed_forward(const LayerWeights& layer, const ConstMatrixRef& x, const Ops& ops, Workspace& workspace,
                  MatrixRef out);

}  // namespace waitless
