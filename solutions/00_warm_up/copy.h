#pragma once

#include <cuda_runtime.h>

namespace waitless {

/// Two ways to copy a row-major matrix on the device. The result is the same, the order in which neighbouring threads
/// touch memory is not.
/// @param x [n_rows, n_cols] device   @param y [n_rows, n_cols] device, written; must not overlap x
/// Sizes may be 0.

/// Neighbouring threads take neighbouring columns of one row.
void copy_rows(const float* x, float* y, int n_rows, int n_cols, cudaStream_t stream = nullptr);

/// Neighbouring threads take neighbouring rows of one column.
void copy_columns(const float* x, float* y, int n_rows, int n_cols, cudaStream_t stream = nullptr);

}  // namespace waitless
