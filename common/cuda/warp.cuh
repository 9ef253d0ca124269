#pragma once

#include <cuda_runtime.h>

namespace waitless {

// What chapter 00 teaches of warps, for the kernels of later chapters. Each function is to be called by all 32 lanes of
// a warp together.

/// Lanes of a warp.
constexpr int kWarp = 32;

/// The mask that names all of them.
constexpr unsigned kAllLanes = 0xffffffffu;

/// @return the sum of the lanes' values, the same in every lane
inline __device__ float warp_sum(float value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(kAllLanes, value, distance);
  return value;
}

/// @return the largest of the lanes' values, the same in every lane
inline __device__ float warp_max(float value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, distance));
  }
  return value;
}

}  // namespace waitless
