#include "cache_validity.h"

#include <cmath>
#include <vector>

#include "01_naive_generation/forward.h"
#include "common/base/not_implemented.h"

namespace waitless {

Matrix changed_cache_rows(const Model& model, std::span<const int> tokens, const Batch& batch, int j, int other) {
  // EXERCISE(2.8): check the arguments; run the layers twice with an ops.attention that keeps a copy of the keys and
  // values it is given before it attends; compare.
  not_implemented("2.8");
}

bool is_cache_valid(const Matrix& changed_rows, int j) {
  // EXERCISE(2.8): look at the columns before j.
  not_implemented("2.8");
}

std::string cache_picture(const Matrix& changed_rows) {
  std::string picture = "layer  tokens 0 .. " + std::to_string(changed_rows.cols() - 1) + "\n";
  for (Index l = 0; l < changed_rows.rows(); ++l) {
    std::string number = std::to_string(l);
    picture += std::string(number.size() < 5 ? 5 - number.size() : 0, ' ') + number + "  ";
    for (Index t = 0; t < changed_rows.cols(); ++t) picture += changed_rows(l, t) == 0.0f ? '.' : '#';
    picture += '\n';
  }
  return picture;
}

}  // namespace waitless
