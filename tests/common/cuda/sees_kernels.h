#pragma once

#include "common/model/batch_view.h"

namespace waitless {

/// Asks sees() of each pair of rows: answers[t * T + s], device memory.
void ask_sees(const BatchView& batch, int* answers);
/// Asks sees_cached() of each row, about positions 0 .. n - 1 of a sequence: answers[t * n + position].
void ask_sees_cached(const BatchView& batch, int sequence, int n, int* answers);

}  // namespace waitless
