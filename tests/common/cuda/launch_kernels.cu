#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "tests/common/cuda/launch_kernels.h"

namespace waitless {
namespace {

__global__ void empty_kernel() {}

__global__ void not_written_kernel(float*, int) { not_implemented("C9.1"); }

}  // namespace

void launch_empty(unsigned grid, unsigned block, std::size_t shared_bytes) {
  launch(empty_kernel, {grid, block, shared_bytes});
}

void launch_empty_3d(unsigned grid_y, unsigned block_z) {
  launch(empty_kernel, {dim3(1, grid_y), dim3(1, 1, block_z)});
}

void allow_shared_bytes(int limit) {
  cuda_check(cudaFuncSetAttribute(empty_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, limit));
}

void call_unwritten_exercise() {
  static_cast<void>(&not_written_kernel);
  not_implemented("9.1");
}

}  // namespace waitless
