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
/// Accuracy: the angle, its cosine and its sine are computed in double; only cosine and sine are rounded to float. At
/// position 8000 neighbouring floats are 0.0005 apart, which a rounded angle would be off by.
/// Source: Su et al. 2021, section 3.4.2.
/// @param x [T, n * head_dim]: any number n of heads side by side; T may be 0
/// @param position [T], any int that is not negative
/// @param parameters position_scale may be any number above 0, not only a whole one
/// @throws std::invalid_argument unless there is one position per row and head_dim is even, above 0 and divides the
///         columns
void rope(MatrixRef x, std::span<const int> position, int head_dim, const RopeParameters& parameters);

}  // namespace waitless
