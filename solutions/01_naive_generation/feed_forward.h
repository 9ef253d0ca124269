#pragma once

#include "common/model/model.h"
#include "common/tensor/matrix.h"
#include "ops.h"
#include "workspace.h"

namespace waitless {

/// The gated activation: out = silu(gate) * up, element by element, with silu(z) = z / (1 + exp(-z)).
/// Source: Shazeer 2020, equation 6.
/// @param gate, up, out [T, d_ff]; finite; out may be gate or up. T may be 0.
/// @throws std::invalid_argument if the shapes differ
void swiglu(const ConstMatrixRef& gate, const ConstMatrixRef& up, MatrixRef out);

/// The feed-forward block of one layer: out = down(swiglu(gate(x), up(x))).
/// The three products go through ops.linear, once each, with layer.gate, layer.up and layer.down.
/// @param x, out [T, d_model]; must not overlap
/// @param workspace works in the top T rows of workspace.gate and workspace.up. The caller has reserved them: they have
///        at least T rows, perhaps more, and nothing is allocated.
void feed_forward(const Layer& layer, const ConstMatrixRef& x, const Ops& ops, Workspace& workspace, MatrixRef out);

}  // namespace waitless
