#pragma once

#include <cuda_runtime.h>

namespace waitless {

/// Packs what is visible. In each group of 32 consecutive elements, those whose flag is not 0 move to the front of the
/// group and keep their order. What lies behind them in `packed` is not written. The last group may be smaller.
/// Attention does the same with keys: it takes only those that the mask lets a query see.
/// @param x [n] device   @param is_visible [n] device, 0 or another number
/// @param packed [n] device, written; must not overlap x
/// @param n_visible [ceil(n / 32)] device, written: how many elements of each group are visible
/// @param n from 0 to 2^30; at 0 nothing is written
void pack_visible(const float* x, const int* is_visible, float* packed, int* n_visible, int n,
                  cudaStream_t stream = nullptr);

}  // namespace waitless
