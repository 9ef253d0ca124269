#include "rope.h"

#include <cmath>

#include "common/base/not_implemented.h"
#include "common/tensor/parallel.h"

namespace waitless {

void rope(MatrixRef x, std::span<const int> position, int head_dim, const RopeParameters& parameters) {
  // EXERCISE(1.3): check the arguments; then rotate each pair of each head by the angle of its row's position.
  // SOLUTION_BEGIN(1.3)
  check_argument(Index(position.size()) == x.rows(), "rope: needs one position for each row");
  check_argument(head_dim > 0 && head_dim % 2 == 0, "rope: head_dim must be even");
  check_argument(x.cols() % head_dim == 0, "rope: the columns must be whole heads");
  const double slower = std::pow(double(parameters.base), -2.0 / head_dim);  // from one pair to the next
  parallel_for(x.rows(), [&](Index t) {
    double angle = double(position[t]) / parameters.position_scale;
    for (int i = 0; i < head_dim; i += 2, angle *= slower) {
      const float cos = float(std::cos(angle)), sin = float(std::sin(angle));
      for (Index head = 0; head < x.cols(); head += head_dim) {
        const float a = x(t, head + i), b = x(t, head + i + 1);
        x(t, head + i) = a * cos - b * sin;
        x(t, head + i + 1) = a * sin + b * cos;
      }
    }
  });
  // SOLUTION_END(1.3)
}

}  // namespace waitless
