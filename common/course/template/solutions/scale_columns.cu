#include "common/cuda/declare_flops.h"
#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "scale_columns_cuda.h"

namespace waitless {
namespace {

constexpr int kThreads = 256;

/// One thread for each element. Launch: grid ceil(n / kThreads), thread block kThreads.
__global__ void scale_columns_kernel(const float* x, const float* __restrict__ scale, float* out, std::size_t n,
                                     int n_cols) {
  // EXERCISE(C@N@.1): which element is this thread's? Is there one? Multiply it by the scale of its column.
  // SOLUTION_BEGIN(C@N@.1)
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] * scale[i % n_cols];
  // SOLUTION_END(C@N@.1)
}

}  // namespace

void scale_columns_cuda(ConstDeviceMatrix x, ConstDeviceMatrix scale, DeviceMatrix out, cudaStream_t stream) {
  check_device_shape("scale_columns: scale", scale, 1, x.cols);
  check_device_shape("scale_columns: out", out, x.rows, x.cols);
  const std::size_t n = std::size_t(x.rows) * x.cols;
  if (n == 0) return;
  declare_flops(double(n));
  launch(scale_columns_kernel, {ceil_div(n, kThreads), kThreads, 0, stream}, x.data, scale.data, out.data, n, x.cols);
}

}  // namespace waitless
