#include "tests/common/simt/index_kernels.h"
#include "tests/common/simt/run_kernel.h"

namespace waitless::simt_test {
namespace {

__global__ void global_order_kernel(int* out) {
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int n_threads = blockDim.x * blockDim.y * blockDim.z;
  out[block * n_threads + thread] = 1000000 * block + thread;
}

__global__ void shapes_kernel(int* out) {
  if (threadIdx.x != 0 || threadIdx.y != 0 || threadIdx.z != 0) return;
  const dim3 block = blockDim, grid = gridDim;
  int* const mine = out + 7 * (blockIdx.x + gridDim.x * blockIdx.z);
  mine[0] = block.x;
  mine[1] = block.y;
  mine[2] = block.z;
  mine[3] = grid.x;
  mine[4] = grid.y;
  mine[5] = grid.z;
  mine[6] = warpSize;
}

__global__ void grid_stride_double_kernel(int* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 2 * i;
}

__global__ void parameters_are_copies_kernel(int* out, int value) {
  out[threadIdx.x] = value;
  value += 1;
  __syncthreads();
  out[threadIdx.x] += 100 * value;
}

__global__ void one_thread_per_block_kernel(int* out) { out[blockIdx.x] += 1; }

}  // namespace

std::vector<int> global_order() { return run_kernel(global_order_kernel, {dim3(3, 2, 2), dim3(4, 2, 2)}, 192); }
std::vector<int> shapes() { return run_kernel(shapes_kernel, {dim3(2, 1, 3), dim3(5, 6)}, 42); }
std::vector<int> grid_stride_double(int n) { return run_kernel(grid_stride_double_kernel, {4, 32}, n, n); }
std::vector<int> parameters_are_copies() { return run_kernel(parameters_are_copies_kernel, {1, 64}, 64, 7); }
std::vector<int> one_thread_per_block(int n) {
  return run_kernel(one_thread_per_block_kernel, {static_cast<unsigned>(n), 1}, n);
}

}  // namespace waitless::simt_test
