#pragma once

#include <cuda_runtime.h>

namespace waitless {

/// Elements that one thread block sums, and its number of threads.
constexpr int kSumBlock = 256;

/// Sums of kSumBlock consecutive elements each; the last group may be smaller.
/// @param x [n] device   @param sums [ceil(n / kSumBlock)] device, written
/// @param n from 0 to 2^30; at 0 nothing is written
void block_sums(const float* x, float* sums, int n, cudaStream_t stream = nullptr);

}  // namespace waitless
