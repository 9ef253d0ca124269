#pragma once

#include <cstdint>

#include "common/model/model.h"
#include "common/tensor/matrix.h"

namespace waitless {

/// [rows, cols] of uniform numbers in [-1, 1), the same for the same seed on every platform.
Matrix random_matrix(Index rows, Index cols, std::uint64_t seed = 1);

/// A decoder small enough to check by hand: 2 layers, 4 query heads, 2 key/value heads of 6 numbers,
/// d_model 20, d_ff 28, vocabulary 50.
Config small_config();

/// A model of that shape with random F32 weights. The gains of the norms differ from 1, and the output projection is
/// not tied to the embedding.
Model random_model(const Config& config, std::uint64_t seed = 1);

}  // namespace waitless
