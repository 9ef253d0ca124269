#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "common/tensor/matrix.h"

namespace waitless {

/// How the numbers of a weight are stored. The values are GGUF's codes.
enum class WeightType : std::uint32_t { kF32 = 0, kF16 = 1, kQ4_0 = 2, kQ4_1 = 3, kQ8_0 = 8, kBF16 = 30 };

/// A type stores its numbers in blocks: `values` neighbours of one row take `bytes` bytes together.
struct WeightFormat {
  const char* name;
  int values;
  int bytes;
};

/// @return the format of `type`, or nullptr if the course does not read it
const WeightFormat* find_format(WeightType type);

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
};

/// A matrix of the model, [rows, cols] in row-major host memory, in the type that its file uses. Copying a Weight
/// copies a pointer; the memory lives as long as any copy.
struct Weight {
  WeightRole role = WeightRole::kOutput;
  int layer = -1;  // -1: outside the layers
  WeightType type = WeightType::kF32;
  Index rows = 0;  // outputs of a linear layer
  Index cols = 0;  // inputs of a linear layer
  const std::byte* data = nullptr;
  std::shared_ptr<const void> owner;

  Index row_bytes() const;
  Index bytes() const { return rows * row_bytes(); }

  /// The numbers themselves, without a copy.
  /// @throws std::invalid_argument naming the type unless it is F32
  ConstMatrixMap f32() const;
};

/// Decodes one row of any type.
/// Source: the block layouts are those of ggml-common.h in llama.cpp.
/// @param out [w.cols]
void expand_row(const Weight& w, Index row, std::span<float> out);

/// @return `w` with type F32, in memory of its own; `w` itself if it is F32 already
Weight expand(const Weight& w);

/// @return the first row that holds an infinity or a NaN, or -1 if every number is finite
Index find_non_finite_row(const Weight& w);

/// @return an F32 weight that holds a copy of `values`, for tests and for weights that are computed
Weight make_weight(const Matrix& values, WeightRole role = WeightRole::kOutput, int layer = -1);

}  // namespace waitless
