#pragma once

#include "common/model/model.h"

namespace waitless {

/// A weight in Q8_0, Q4_0 or Q4_1 with random codes and scales, and the values that it stands for, worked out on the
/// way: exactly, since scales have 11 bits and codes at most 8.
struct RandomBlocks {
  Weight weight;
  Matrix values;
};

RandomBlocks random_blocks(WeightType type, Index rows, Index cols, std::uint64_t seed = 1);

/// For to_gguf(): replaces every matrix by random blocks of that type.
ConvertWeight replaced_by_random_blocks(WeightType type);

}  // namespace waitless
