#include "common/cuda/declare_flops.h"
#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "operators_cuda.h"

namespace waitless {
namespace {

constexpr int kWarp = 32;

/// One warp for each wanted row; lane l takes columns l, l + 32, ... Launch: grid R, thread block kWarp.
__global__ void rms_norm_kernel(ConstDeviceMatrix x, const float* __restrict__ gain, float eps,
                                const int* __restrict__ rows, float* out) {
  // EXERCISE(C1.2): each lane sums the squares of its columns; add the 32 sums by shuffles; scale your columns.
  // SOLUTION_BEGIN(C1.2)
  const std::size_t from = std::size_t(rows ? rows[blockIdx.x] : blockIdx.x) * x.cols;
  const std::size_t to = std::size_t(blockIdx.x) * x.cols;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < x.cols; c += kWarp) sum += x.data[from + c] * x.data[from + c];
  // Lanes 16 apart add up, then 8 apart, ...: after five steps every lane holds the sum of all.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  const float scale = 1.0f / sqrtf(sum / x.cols + eps);
  for (int c = threadIdx.x; c < x.cols; c += kWarp) out[to + c] = x.data[from + c] * scale * gain[c];
  // SOLUTION_END(C1.2)
}

}  // namespace

void rms_norm_cuda(ConstDeviceMatrix x, ConstDeviceMatrix gain, float eps, const int* rows, DeviceMatrix out,
                   cudaStream_t stream) {
  check_device_shape("rms_norm: gain", gain, 1, x.cols);
  check_device_shape("rms_norm: out", out, rows ? out.rows : x.rows, x.cols);
  declare_flops(4.0 * out.rows * out.cols);  // square, add, scale, gain
  launch(rms_norm_kernel, {unsigned(out.rows), kWarp, 0, stream}, x, gain.data, eps, rows, out.data);
}

}  // namespace waitless
