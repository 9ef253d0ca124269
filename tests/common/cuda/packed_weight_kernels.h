#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace waitless {

/// out = x W^T on a weight in panels, whose values are float or bf16_t. All pointers are device memory.
/// @param panels [ceil(n_out / panel_rows), n_in, panel_rows]   @param x [T, n_in]   @param out [T, n_out]
void linear_panels_f32(const std::byte* panels, int panel_rows, int n_out, int n_in, const float* x, int T, float* out);
void linear_panels_bf16(const std::byte* panels, int panel_rows, int n_out, int n_in, const float* x, int T,
                        float* out);

}  // namespace waitless
