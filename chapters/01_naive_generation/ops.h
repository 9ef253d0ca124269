#pragma once

#include <functional>
#include <map>
#include <string>

#include "common/model/batch.h"
#include "common/model/model.h"
#include "common/tensor/matrix.h"
#include "workspace.h"

namespace waitless {

struct Ops;

/// What lets the tokens of a layer exchange information, from the normed stream to what is added to it.
/// x, out [T, d_model], must not overlap
using Mixer = std::function<void(const Model& model, int layer, const ConstMatrixRef& x, const Batch& batch,
                                 const Ops& ops, Workspace& workspace, MatrixRef out)>;

/// The seams of the forward pass: the operators that later chapters replace, each by assigning another function,
/// without touching the pass itself. Ops serve one pass at a time: some keep memory to work in.
struct Ops {
  /// out = x W^T. Replaced by faster kernels (03), quantized (10) and sharded (11) layers.
  /// x [T, w.cols], out [T, w.rows]
  std::function<void(const Weight& w, const ConstMatrixRef& x, MatrixRef out)> linear;

  /// Attention of one layer, after RoPE. Replaced by cached (02), ragged (04), paged (05), block (07) and tree (08)
  /// attention. q, out [T, n_heads * head_dim]; k, v [T, n_kv_heads * head_dim], or [0, ..] where the rows bring no
  /// keys and values of their own (a drafter that reads another model's cache, 08).
  std::function<void(const Config& config, int layer, const ConstMatrixRef& q, const ConstMatrixRef& k,
                     const ConstMatrixRef& v, const Batch& batch, MatrixRef out)>
      attention;

  /// The mixer of each kind of layer (Layer::kind). "attention" is attention_mixer(); recurrent layers bring others
  /// (06).
  std::map<std::string, Mixer, std::less<>> mixers;

  /// What is done once for all layers: a cache makes room for the rows, attention plans its tiles. forward() calls
  /// begin_step before the first layer and end_step after the last; whoever runs the layers himself calls them himself.
  /// A step that fails on the way is given up when the next one begins. Either may be empty.
  std::function<void(const Batch& batch)> begin_step;
  std::function<void()> end_step;

  /// @throws std::invalid_argument naming the kind if there is no mixer for it
  const Mixer& mixer(const std::string& kind) const;
};

}  // namespace waitless
