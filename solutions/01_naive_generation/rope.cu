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
  // SOLUTION_BEGIN(C1.3)
  const int pairs_per_row = x.cols / 2;
  const std::size_t pair = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (pair >= std::size_t(x.rows) * pairs_per_row) return;
  const std::size_t t = pair / pairs_per_row;
  const int i = int(pair % pairs_per_row) * 2 % head_dim;  // place within the head, even
  const double angle =
      double(position[t]) / parameters.position_scale * pow(double(parameters.base), -double(i) / head_dim);
  const float cos_angle = float(cos(angle)), sin_angle = float(sin(angle));
  const float a = x.data[2 * pair], b = x.data[2 * pair + 1];
  x.data[2 * pair] = a * cos_angle - b * sin_angle;
  x.data[2 * pair + 1] = a * sin_angle + b * cos_angle;
  // SOLUTION_END(C1.3)
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
