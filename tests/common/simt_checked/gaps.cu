#include <cstring>

#include "common/cuda/device_buffer.h"
#include "common/cuda/launch.h"
#include "tests/common/simt_checked/gaps.h"

namespace waitless::simt_test {
namespace {

__global__ void far_index_kernel(int* x, long long i) { x[i + threadIdx.x] = 1; }

__global__ void unused_kernel(int* out, const int* x, int n) {
  const int value = x[n + threadIdx.x];
  out[threadIdx.x] = threadIdx.x + 0 * value;
}

__global__ void memcpy_kernel(int* out, const int* x, int n) {
  if (threadIdx.x == 0) memcpy(out, x, n * sizeof(int));
}

__device__ __attribute__((noinline)) void fill(int* values, int n) {
  for (int i = threadIdx.x; i < n; i += 32) values[i] = i;
}
__global__ void neighbour_kernel(int* out) {
  __shared__ int a[32], b[32];
  fill(a, 32);
  fill(b, 32);
  __syncthreads();
  fill(&a[0] < &b[0] ? a : b, 33);
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

__global__ void branch_kernel(int* out) {
  __shared__ int values[64];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  if (t < 32) {
    values[t] += values[t + 32];
    __syncthreads();  // the others have returned
  }
  if (t == 0) *out = values[0];
}

__global__ void poll_kernel(volatile int* flag, int* out) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    *out = 1;
  } else if (threadIdx.x == 32) {
    *flag = 1;
  }
}

__global__ void same_value_kernel(int* out) { *out = 7; }

__global__ void unfenced_reader_kernel(int* data, int* is_ready, int* out) {
  if (blockIdx.x == 0) {
    *data = 7;
    __threadfence();
    atomicExch(is_ready, 1);
  } else if (atomicAdd(is_ready, 0) == 1) {
    *out = *data;  // a __threadfence() is due before this
  }
}

}  // namespace

void index_into_another_buffer() {
  DeviceBuffer<int> x(32), y(32);
  launch(far_index_kernel, {1, 32}, x.data(), y.data() - x.data());
}

void unused_read_out_of_bounds() {
  DeviceBuffer<int> out(32), x(std::vector<int>(32));
  launch(unused_kernel, {1, 32}, out.data(), x.data(), 32);
}

void memcpy_out_of_bounds() {
  DeviceBuffer<int> out(64), x(std::vector<int>(32));
  launch(memcpy_kernel, {1, 32}, out.data(), x.data(), 40);
}

void pointer_into_another_shared_variable() {
  DeviceBuffer<int> out(32);
  launch(neighbour_kernel, {1, 32}, out.data());
}

void barrier_in_a_branch() {
  DeviceBuffer<int> out(1);
  launch(branch_kernel, {1, 64}, out.data());
}

void poll_for_another_warp() {
  DeviceBuffer<int> flag(std::vector<int>(1)), out(1);
  launch(poll_kernel, {1, 64}, flag.data(), out.data());
}

void write_the_same_value() {
  DeviceBuffer<int> out(1);
  launch(same_value_kernel, {1, 64}, out.data());
}

void read_without_a_fence() {
  DeviceBuffer<int> data(std::vector<int>(1)), is_ready(std::vector<int>(1)), out(1);
  launch(unfenced_reader_kernel, {2, 1}, data.data(), is_ready.data(), out.data());
}

void copy_what_nobody_wrote() {
  DeviceBuffer<int> x(32);
  x.to_host();
}

}  // namespace waitless::simt_test
