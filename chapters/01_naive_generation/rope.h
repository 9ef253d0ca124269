#pragma once

#include <span>

#include "common/model/config.h"
#include "common/tensor/matrix.h"

namespace waitless {

/// Rotary position embedding, in place. Within each head, numbers 2i and 2i + 1 are one point of a plane, which
/// turns by the angle
///   position / position_scale * base^(-2i / head_dim),
/// so that the product of a query and a key depends on how far apart they are, not on where. Neighbours form the
/// pairs (interleaved), as GGUF files of `llama` models expect.
/// Source: Su et al. 2021, section 3.4.2.
/// @param x [T, n * head_dim]: any number n of heads side by side   @param position [T]
/// @throws std::invalid_argument unless there is one position per row, head_dim is even and divides the columns
void rope(MatrixRef x, std::span<const int> position, int head_dim, const RopeParameters& parameters);

}  // namespace waitless
