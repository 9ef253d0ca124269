#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "common/model/weight_format.h"
#include "common/tensor/matrix.h"

namespace waitless {

/// What a weight is for. Later chapters treat roles differently (sharding, quantization).
enum class WeightRole {
  kTokenEmbedding,
  kAttentionNorm,
  kQuery,
  kKey,
  kValue,
  kAttentionOutput,
  kFeedForwardNorm,
  kGate,
  kUp,
  kDown,
  kOutputNorm,
  kOutput,
  kExtraMatrix,  // of a linear layer, under `extra`
  kExtra,        // anything else under `extra`: a bias, a norm, decay rates, a short convolution
};

/// Whether a weight belongs to ops.linear or is the embedding: such matrices may be stored in any format. All others
/// are small, and the operators that use them read F32.
bool is_matrix(WeightRole role);

/// A matrix of the model, [rows, cols] in host memory, in the format that its file uses. Copying a Weight copies a
/// pointer; the memory lives as long as any copy.
struct Weight {
  WeightRole role = WeightRole::kOutput;
  int layer = -1;  // -1: outside the layers
  const WeightFormat* format = &kF32Format;
  Index rows = 0;  // outputs of a linear layer
  Index cols = 0;  // inputs of a linear layer
  const std::byte* data = nullptr;
  std::shared_ptr<const void> owner;

  // Weights are row-major unless one of these says otherwise.

  /// Rows that lie interleaved, in panels of so many: the first blocks of all rows of a panel, then the second ones,
  /// ... The last panel is padded with zeros. A vector register then holds neighbouring outputs.
  int panel_rows = 1;

  /// Bytes from a row (or panel) to the next; 0: nothing lies between them. Columns of a larger matrix are a weight,
  /// too.
  Index stride = 0;

  /// What the format needs beside the blocks, in an order of its own: scales of rows or groups, zero points.
  std::span<const std::byte> scales;
  std::shared_ptr<const void> scales_owner;

  WeightType type() const { return format->type; }

  /// Bytes of one row's blocks.
  Index row_bytes() const;

  /// Bytes of all blocks and scales, which is what a product reads.
  Index bytes() const { return n_panels() * panel_bytes() + Index(scales.size()); }
  Index n_panels() const { return (rows + panel_rows - 1) / panel_rows; }
  Index panel_bytes() const { return panel_rows * row_bytes(); }

  /// Where panel p lies.
  const std::byte* panel_data(Index p) const { return data + p * (stride != 0 ? stride : panel_bytes()); }

  /// Where the first block of a row lies; the next ones follow panel_rows blocks apart.
  const std::byte* row_data(Index row) const { return panel_data(row / panel_rows) + row % panel_rows * format->bytes; }

  /// The values themselves, without a copy.
  /// @throws std::invalid_argument naming the format unless it is F32, row-major
  ConstStridedMap f32() const;
};

/// Decodes one row of any format.
/// @param out [w.cols]
void expand_row(const Weight& w, Index row, std::span<float> out);

/// @return `w` as F32, row-major without gaps, in memory of its own; `w` itself if it is that already
Weight expand(const Weight& w);

/// @return the first row that holds an infinity or a NaN, or -1 if every value is finite
Index find_non_finite_row(const Weight& w);

/// @return an F32 weight that holds a copy of `values`, for tests and for weights that are computed
Weight make_weight(const Matrix& values, WeightRole role = WeightRole::kOutput, int layer = -1);

}  // namespace waitless
