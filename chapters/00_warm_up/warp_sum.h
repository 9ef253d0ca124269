#pragma once

#include <cuda_runtime.h>

namespace waitless {

/// Each element becomes the sum of its warp's 32 consecutive elements; the last warp may have fewer.
/// @param x [n] device   @param sums [n] device, written: sums[i] is the sum of the group of 32 that contains i
/// @param n from 0 to 2^30; at 0 nothing is written
void warp_sums(const float* x, float* sums, int n, cudaStream_t stream = nullptr);

}  // namespace waitless
