#pragma once

#include <span>

namespace waitless {

/// Turns a row of scores into probabilities, in place: x_i <- exp(x_i - max) / sum_j exp(x_j - max).
/// Subtracting the maximum changes nothing mathematically and keeps exp() from overflowing. A score of -infinity
/// (a masked key) becomes exactly 0.
/// @throws std::invalid_argument if the row is empty or its maximum is not finite (all masked, or a NaN)
void softmax(std::span<float> row);

}  // namespace waitless
