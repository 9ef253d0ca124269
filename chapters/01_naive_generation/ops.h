#pragma once

#include <functional>

#include "common/model/batch.h"
#include "common/model/weight.h"
#include "common/tensor/matrix.h"

namespace waitless {

/// The seams of the forward pass: the operators that later chapters replace, each by assigning another function,
/// without touching the pass itself.
struct Ops {
  /// out = x W^T. Replaced by faster kernels (03), quantized (10) and sharded (11) layers.
  /// x [T, w.cols], out [T, w.rows]
  std::function<void(const Weight& w, const ConstMatrixRef& x, MatrixRef out)> linear;

  /// Attention of one layer, after RoPE. Replaced by cached (02), ragged (04), paged (05), block (07) and tree (08)
  /// attention. q, out [T, n_heads * head_dim]; k, v [T, n_kv_heads * head_dim]
  std::function<void(int layer, const ConstMatrixRef& q, const ConstMatrixRef& k, const ConstMatrixRef& v,
                     const Batch& batch, MatrixRef out)>
      attention;

  /// Everything that lets tokens exchange information: projections, RoPE, attention, output projection. Empty for
  /// the default, attention_mixer(). Replaced whole by recurrent layers (06). x, out [T, d_model]
  std::function<void(int layer, const ConstMatrixRef& x, const Batch& batch, MatrixRef out)> mixer;
};

}  // namespace waitless
