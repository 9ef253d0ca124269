#pragma once

#include <span>

namespace waitless {

/// Turns a row of scores into probabilities, in place: x_i <- exp(x_i - max) / sum_j exp(x_j - max).
/// Subtracting the maximum changes nothing mathematically and keeps exp() from overflowing. A score of -infinity
/// (a masked key) becomes exactly 0; a probability below FLT_MIN may become 0 too.
/// @param row at least one score; finite or -infinity
/// @throws std::invalid_argument if the row is empty, if any score is NaN or +infinity, or if all are -infinity. What
///         the row holds then is not specified.
void softmax(std::span<float> row);

}  // namespace waitless
