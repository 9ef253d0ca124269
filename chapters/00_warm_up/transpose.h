#pragma once

#include <cuda_runtime.h>

namespace waitless {

/// The transpose of a row-major matrix on the device: y[c, r] = x[r, c]. Both matrices are read and written along their
/// rows, so that neighbouring threads touch neighbouring addresses in both.
/// @param x [n_rows, n_cols] device   @param y [n_cols, n_rows] device, written; must not overlap x   Sizes may be 0.
void transpose(const float* x, float* y, int n_rows, int n_cols, cudaStream_t stream = nullptr);

}  // namespace waitless
