#include <vector>

#include "common/cuda/device_buffer.h"
#include "common/cuda/launch.h"
#include "tests/common/simt/simt_bench.h"

namespace waitless::simt_test {
namespace {

constexpr int kBlock = 256;
constexpr int kTile = 16;

__global__ void scale_kernel(float* x, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * factor + 1.0f;
}

__global__ void one_barrier_kernel(float* x) {
  __shared__ float values[kBlock];
  const int t = threadIdx.x, i = blockIdx.x * kBlock + t;
  values[t] = x[i];
  __syncthreads();
  x[i] = values[kBlock - 1 - t];
}

__global__ void shuffle_sum_kernel(float* x) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  float sum = x[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  x[i] = sum;
}

__global__ void multiply_kernel(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[kTile][kTile], b_tile[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * kTile + ty, col = blockIdx.x * kTile + tx;
  float sum = 0.0f;
  for (int first = 0; first < n; first += kTile) {
    a_tile[ty][tx] = a[row * n + first + tx];
    b_tile[ty][tx] = b[(first + ty) * n + col];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += a_tile[ty][i] * b_tile[i][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

}  // namespace

struct BenchKernels::Buffers {
  DeviceBuffer<float> x{std::vector<float>(kThreads, 0.0f)};
  DeviceBuffer<float> a{std::vector<float>(kMatrix * kMatrix, 0.5f)}, b{std::vector<float>(kMatrix * kMatrix, 0.25f)};
  DeviceBuffer<float> c{kMatrix * kMatrix};
};

BenchKernels::BenchKernels() : buffers_(std::make_unique<Buffers>()) {}
BenchKernels::~BenchKernels() = default;

void BenchKernels::scale() { launch(scale_kernel, {kThreads / kBlock, kBlock}, buffers_->x.data(), 0.5f, kThreads); }
void BenchKernels::one_barrier() { launch(one_barrier_kernel, {kThreads / kBlock, kBlock}, buffers_->x.data()); }
void BenchKernels::shuffle_sum() { launch(shuffle_sum_kernel, {kThreads / kBlock, kBlock}, buffers_->x.data()); }
void BenchKernels::multiply() {
  launch(multiply_kernel, {dim3(kMatrix / kTile, kMatrix / kTile), dim3(kTile, kTile)}, buffers_->a.data(),
         buffers_->b.data(), buffers_->c.data(), kMatrix);
}

}  // namespace waitless::simt_test
