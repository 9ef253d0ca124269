#pragma once

#include <cuda_runtime.h>

namespace waitless {

/// y = a x + y, on the device ("single-precision a times x plus y").
/// @param x [n] device   @param y [n] device, updated; must not overlap x   @param n from 0 to 2^30; 0 launches nothing
void saxpy(float a, const float* x, float* y, int n, cudaStream_t stream = nullptr);

}  // namespace waitless
