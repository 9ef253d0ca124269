#include "common/cuda/declare_flops.h"
#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "kernels_cuda.h"

namespace waitless {
namespace {

constexpr int kThreads = 128;

/// One thread for each element [t, o] of out, o running fastest. Neighbouring threads read neighbouring *rows* of w, a
/// whole row apart: the slowest way to read it, and the one to beat in chapter 03.
/// Launch: grid (ceil(O / kThreads), T), thread block kThreads.
__global__ void linear_naive_kernel(ConstDeviceMatrix w, const float* __restrict__ x, float* __restrict__ out) {
  // EXERCISE(C1.4): find your t and o, leave if there is no such output, and add up one dot product.
  not_implemented("C1.4");
}

}  // namespace

void linear_cuda(ConstDeviceMatrix w, ConstDeviceMatrix x, DeviceMatrix out, cudaStream_t stream) {
  check_device_shape("linear: x", x, x.rows, w.cols);
  check_device_shape("linear: out", out, x.rows, w.rows);
  if (x.rows == 0) return;
  declare_flops(2.0 * x.rows * w.rows * w.cols);  // a multiplication and an addition for each weight
  launch(linear_naive_kernel, {dim3(ceil_div(w.rows, kThreads), x.rows), kThreads, 0, stream}, w, x.data, out.data);
}

}  // namespace waitless
