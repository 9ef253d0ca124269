#include "common/cuda/half.h"
#include "common/cuda/launch.h"
#include "tests/common/cuda/packed_weight_kernels.h"

namespace waitless {
namespace {

/// One thread for each output; neighbouring threads read neighbouring values of a panel.
/// Launch: grid (number of panels, T), thread block panel_rows.
template <class Value>
__global__ void linear_panels_kernel(const Value* __restrict__ panels, int n_out, int n_in, const float* __restrict__ x,
                                     float* __restrict__ out) {
  const int o = blockIdx.x * blockDim.x + threadIdx.x;
  const std::size_t t = blockIdx.y;
  if (o >= n_out) return;
  const Value* panel = panels + std::size_t(blockIdx.x) * n_in * blockDim.x;
  float sum = 0.0f;
  for (int i = 0; i < n_in; ++i) sum += x[t * n_in + i] * float(panel[std::size_t(i) * blockDim.x + threadIdx.x]);
  out[t * n_out + o] = sum;
}

template <class Value>
void linear_panels(const std::byte* panels, int panel_rows, int n_out, int n_in, const float* x, int T, float* out) {
  launch(linear_panels_kernel<Value>, {dim3(ceil_div(n_out, panel_rows), T), unsigned(panel_rows)},
         reinterpret_cast<const Value*>(panels), n_out, n_in, x, out);
}

}  // namespace

void linear_panels_f32(const std::byte* panels, int panel_rows, int n_out, int n_in, const float* x, int T,
                       float* out) {
  linear_panels<float>(panels, panel_rows, n_out, n_in, x, T, out);
}

void linear_panels_bf16(const std::byte* panels, int panel_rows, int n_out, int n_in, const float* x, int T,
                        float* out) {
  linear_panels<bf16_t>(panels, panel_rows, n_out, n_in, x, T, out);
}

}  // namespace waitless
