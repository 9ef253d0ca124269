#include "common/cuda/device_buffer.h"
#include "common/cuda/launch.h"
#include "tests/common/simt_checked/injected_bugs.h"

namespace waitless::simt_test {
namespace {

constexpr unsigned kAllLanes = 0xffffffffu;

__global__ void two_sites_kernel(int* out) {
  if (threadIdx.x < 32) {
    __syncthreads();  // SIDE two_sites
  } else {
    __syncthreads();  // SIDE two_sites
  }
  out[threadIdx.x] = 1;
}

__global__ void skipped_kernel(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = 1;
  if (threadIdx.x < 48) __syncthreads();  // BUG skipped
  out[threadIdx.x] = values[threadIdx.x];
}

__global__ void skipped_then_next_kernel(int* out) {
  if (threadIdx.x != 5) __syncthreads();  // SIDE skipped_then_next
  out[threadIdx.x] = 1;
  __syncthreads();  // SIDE skipped_then_next
}

__global__ void return_in_loop_kernel(int* out, int n) {
  __shared__ int values[64];
  for (int i = threadIdx.x; i < n; i += 64) {
    values[threadIdx.x] = i;
    __syncthreads();  // BUG return_in_loop
    out[i] = values[63 - threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = 0;
  }
}

__global__ void missing_lanes_kernel(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x % 32 < 16) value = __shfl_xor_sync(kAllLanes, value, 1);  // BUG missing_lanes
  __syncthreads();
  out[threadIdx.x] = value;
}

__global__ void outside_mask_kernel(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 16) value = __shfl_down_sync(0x0000ffffu, value, 8);  // BUG outside_mask
  out[threadIdx.x] = value;
}

__global__ void own_lane_kernel(int* out) {
  out[threadIdx.x] = __shfl_sync(0x0000ffffu, threadIdx.x, 0);  // BUG own_lane
}

__global__ void exited_lane_kernel(int* out, int n) {
  if (threadIdx.x >= n) return;
  out[threadIdx.x] = __shfl_sync(kAllLanes, threadIdx.x, 31);  // BUG exited_lane
}

__global__ void partial_warp_kernel(int* out) {
  int sum = 1;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(kAllLanes, sum, step);  // BUG partial_warp
  if (threadIdx.x == 0) *out = sum;
}

__global__ void wrong_wait_kernel(int* out) {
  if (threadIdx.x == 40) {
    __syncwarp();  // SIDE wrong_wait
  } else {
    __syncthreads();  // SIDE wrong_wait
  }
  out[threadIdx.x] = 1;
}

__global__ void endless_kernel(int* out, int step) {
  for (int i = 0; i < 10; i += step) out[threadIdx.x] = i;  // BUG endless
}

__global__ void poll_kernel(const volatile int* flag) {
  while (*flag == 0) {  // BUG poll
  }
}

__global__ void silent_kernel(int* out, unsigned n) {
  unsigned i = threadIdx.x;
  while (i != n) i += 2;  // BUG silent
  out[threadIdx.x] = i;
}

__global__ void lock_kernel(int* lock, int* out) {
  while (atomicCAS(lock, 0, 1) != 0) {  // BUG lock
  }
  *out += 1;
  __syncwarp();
  atomicExch(lock, 0);
}

template <class T>
DeviceBuffer<T> zeros(std::size_t n) {
  DeviceBuffer<T> buffer(n);
  buffer.fill_bytes(0);
  return buffer;
}

template <auto kernel, int n_threads>
void run() {
  DeviceBuffer<int> out(n_threads);
  launch(kernel, {1, n_threads}, out.data());
}

}  // namespace

std::vector<InjectedBug> wait_bugs() {
  return {
      {"two_sites", run<two_sites_kernel, 64>, cudaErrorLaunchFailure,
       "waits at a barrier while other threads of the block wait at another"},
      {"skipped", run<skipped_kernel, 64>, cudaErrorLaunchFailure, "ends without the barrier"},
      {"skipped_then_next", run<skipped_then_next_kernel, 64>, cudaErrorLaunchFailure,
       "waits at a barrier while other threads of the block wait at another"},
      {"return_in_loop",
       [] {
         DeviceBuffer<int> out(100);
         launch(return_in_loop_kernel, {1, 64}, out.data(), 100);
       },
       cudaErrorLaunchFailure, "ends without the barrier"},
      {"missing_lanes", run<missing_lanes_kernel, 64>, cudaErrorLaunchFailure, "waits for ever"},
      {"outside_mask", run<outside_mask_kernel, 32>, cudaErrorLaunchFailure, "which is not in the mask"},
      {"own_lane", run<own_lane_kernel, 32>, cudaErrorLaunchFailure, "with a mask that lacks its own lane"},
      {"exited_lane",
       [] {
         DeviceBuffer<int> out(32);
         launch(exited_lane_kernel, {1, 32}, out.data(), 20);
       },
       cudaErrorLaunchFailure, "reads lane 31 by __shfl_sync, which has exited"},
      {"partial_warp", run<partial_warp_kernel, 20>, cudaErrorLaunchFailure, "which has exited or does not exist"},
      {"wrong_wait", run<wrong_wait_kernel, 64>, cudaErrorLaunchFailure, "waits for ever"},
      {"endless",
       [] {
         DeviceBuffer<int> out(32);
         launch(endless_kernel, {1, 32}, out.data(), 0);
       },
       cudaErrorLaunchTimeout, "a loop has no end"},
      {"poll",
       [] {
         DeviceBuffer<int> flag = zeros<int>(1);
         launch(poll_kernel, {1, 64}, flag.data());
       },
       cudaErrorLaunchTimeout, "a loop has no end"},
      {"silent",
       [] {
         DeviceBuffer<int> out(32);
         launch(silent_kernel, {1, 32}, out.data(), 1u);
       },
       cudaErrorLaunchTimeout, "a loop has no end"},
      {"lock",
       [] {
         DeviceBuffer<int> lock = zeros<int>(1), out = zeros<int>(1);
         launch(lock_kernel, {1, 32}, lock.data(), out.data());
       },
       cudaErrorLaunchTimeout, "a loop has no end"},
  };
}

}  // namespace waitless::simt_test
