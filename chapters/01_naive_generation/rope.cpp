#include "rope.h"

#include <cmath>

#include "common/base/not_implemented.h"
#include "common/tensor/parallel.h"

namespace waitless {

void rope(MatrixRef x, std::span<const int> position, int head_dim, const RopeParameters& parameters) {
  // EXERCISE(1.3): check the arguments; then rotate each pair of each head by the angle of its row's position.
  not_implemented("1.3");
}

}  // namespace waitless
