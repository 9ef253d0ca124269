#pragma once

#include "common/model/config.h"
#include "common/tensor/matrix.h"

namespace waitless {

/// Memory for what the forward pass itself computes on the way; an operator that needs more keeps it in its Ops. It
/// only ever grows, so a decode step allocates nothing. Use the top T rows.
struct Workspace {
  Matrix x;                // [capacity, d_model] the residual stream
  Matrix normed;           // [capacity, d_model]
  Matrix q;                // [capacity, n_heads * head_dim]
  Matrix k, v;             // [capacity, n_kv_heads * head_dim]
  Matrix attended;         // [capacity, n_heads * head_dim]
  Matrix residual_update;  // [capacity, d_model] what the mixer or the feed-forward block adds to the stream
  Matrix gate, up;         // [capacity, d_ff]

  /// Makes room for n_rows rows of a model. Contents are lost where it grows, and nothing happens where it need not.
  void reserve(const Config& config, Index n_rows);
};

}  // namespace waitless
