#include <numeric>
#include <stdexcept>

#include "common/cuda/not_implemented.h"
#include "tests/common/simt/run_kernel.h"
#include "tests/common/simt/simt/faulty_kernels.h"

namespace waitless::simt_test {
namespace {

__global__ void skip_barrier_kernel(int* out) {
  if (threadIdx.x == 40) {
    __syncwarp();  // waits for 31 lanes that are at the barrier below
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}

__global__ void missing_lanes_kernel(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x % 32 < 16) value = __shfl_xor_sync(0xffffffffu, value, 1);
  __syncthreads();
  out[threadIdx.x] = value;
}

__device__ int depth(int n, volatile int* out) {
  volatile int here[64];
  here[n % 64] = n;
  return *out == 1234567 ? n : depth(n + 1, out) + here[n % 64];
}

__global__ void recurse_kernel(int* out) { out[threadIdx.x] = depth(0, out); }

__global__ void large_local_array_kernel(int* out, int i) {
  volatile int values[1 << 20];
  values[i] = 1;
  __syncthreads();
  out[threadIdx.x] = values[i] + values[0];
}

// The fault is for simt to find, and not for the sanitizer.
__attribute__((no_sanitize("null"))) __global__ void null_kernel(int* out, const int* missing) {
  out[threadIdx.x] = missing[threadIdx.x];
}

__global__ void out_of_bounds_kernel(int* out) { out[(std::size_t{1} << 28) + threadIdx.x] = 1; }

__global__ void not_implemented_kernel(int*, int) { not_implemented("C9.9"); }

__global__ void throwing_kernel(int* out) {
  __syncthreads();
  if (threadIdx.x == 33) throw std::length_error("thrown by a kernel");
  __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void healthy_kernel(int* out) {
  __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void launching_kernel(int* out) { launch(healthy_kernel, {1, 64}, out); }

}  // namespace

void skip_barrier_with_warp_wait() { run_kernel(skip_barrier_kernel, {1, 64}, 64); }
void shuffle_with_missing_lanes() { run_kernel(missing_lanes_kernel, {1, 64}, 64); }
void recurse_without_end() { run_kernel(recurse_kernel, {1, 64}, 64); }
void use_large_local_array() { run_kernel(large_local_array_kernel, {1, 64}, 64, 5); }
void dereference_null() { run_kernel(null_kernel, {1, 64}, 64, nullptr); }
void write_far_out_of_bounds() { run_kernel(out_of_bounds_kernel, {1, 64}, 64); }
void call_not_implemented() { run_kernel(not_implemented_kernel, {2, 64}, 128, 3); }
void throw_length_error() { run_kernel(throwing_kernel, {1, 64}, 64); }
void launch_from_kernel() { run_kernel(launching_kernel, {1, 64}, 64); }

int healthy() {
  const std::vector<int> out = run_kernel(healthy_kernel, {1, 64}, 64);
  return std::accumulate(out.begin(), out.end(), 0);
}

float read_device_memory_on_host() {
  const DeviceBuffer<float> buffer(std::vector<float>(10, 1.0f));
  return buffer.data()[3];
}

}  // namespace waitless::simt_test
