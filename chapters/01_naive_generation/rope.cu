#include <stdexcept>

#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "kernels_cuda.h"

namespace waitless {
namespace {

constexpr int kThreads = 256;

/// One thread for each pair of neighbours. Launch: grid ceil(T * cols / 2 / kThreads), thread block kThreads.
__global__ void rope_kernel(DeviceMatrix x, const int* __restrict__ position, int head_dim, RopeParameters parameters) {
  // EXERCISE(C1.3): find the row and the pair you own; its angle, in double; rotate both numbers.
  not_implemented("C1.3");
}

}  // namespace

void rope_cuda(DeviceMatrix x, const int* position, int head_dim, const RopeParameters& parameters,
               cudaStream_t stream) {
  if (head_dim <= 0 || head_dim % 2 != 0) throw std::invalid_argument("rope: head_dim must be even");
  if (x.cols % head_dim != 0) throw std::invalid_argument("rope: the columns must be whole heads");
  if (x.rows == 0) return;
  launch(rope_kernel, {ceil_div(std::size_t(x.rows) * x.cols / 2, kThreads), kThreads, 0, stream}, x, position,
         head_dim, parameters);
}

}  // namespace waitless
