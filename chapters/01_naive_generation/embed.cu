#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "operators_cuda.h"

namespace waitless {
namespace {

constexpr int kThreads = 256;

/// One thread for each element of x. Launch: grid ceil(T * d_model / kThreads), thread block kThreads.
__global__ void embed_kernel(ConstDeviceMatrix table, const int* __restrict__ token, DeviceMatrix x) {
  // EXERCISE(C1.1): find your element of x, leave if there is none, copy the element of the token's row.
  not_implemented("C1.1", table, token, x);
}

}  // namespace

void embed_cuda(ConstDeviceMatrix table, const int* token, DeviceMatrix x, cudaStream_t stream) {
  check_device_shape("embed: x", x, x.rows, table.cols);
  launch(embed_kernel, {ceil_div(std::size_t(x.rows) * x.cols, kThreads), kThreads, 0, stream}, table, token, x);
}

}  // namespace waitless
