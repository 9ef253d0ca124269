#include "tests/common/simt/barrier_kernels.h"
#include "tests/common/simt/run_kernel.h"

namespace waitless::simt_test {
namespace {

__global__ void mirror_kernel(int* out) {
  __shared__ int values[1024];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

__global__ void ring_kernel(int* out, int rounds) {
  __shared__ int values[2][100];
  const int t = threadIdx.x;
  values[0][t] = t;
  for (int step = 0; step < 100 * rounds + 1; ++step) {
    __syncthreads();
    values[(step + 1) % 2][(t + 1) % 100] = values[step % 2][t];
  }
  __syncthreads();
  out[t] = values[1][t];
}

__global__ void votes_kernel(int* out) {
  const int t = threadIdx.x;
  int* const mine = out + 9 * t;
  mine[0] = __syncthreads_count(t % 3 == 0);
  mine[1] = __syncthreads_and(t < 70);
  mine[2] = __syncthreads_or(t == 69);
  mine[3] = __syncthreads_count(2 * (t >= 60));
  mine[4] = __syncthreads_and(t != 5);
  mine[5] = __syncthreads_or(0);
  if (t >= 40) return;
  mine[6] = __syncthreads_count(1);
  mine[7] = __syncthreads_and(t < 40);
  mine[8] = __syncthreads_or(t >= 40);
}

__global__ void exited_threads_kernel(int* out) {
  __shared__ int values[16];
  const int t = threadIdx.x;
  if (t >= 16) return;
  int value = t;
  for (int step = 0; step < 3; ++step) {
    values[t] = value;
    __syncthreads();
    value = values[(t + 1) % 16];
    __syncthreads();
  }
  out[t] = value;
}

__global__ void both_branches_kernel(int* out) {
  __shared__ int values[64];
  const int t = threadIdx.x;
  values[t] = t;
  if (t < 32) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  out[t] = values[63 - t];
}

__global__ void fences_kernel(int* out, volatile int* numbers) {
  if (threadIdx.x == 0) {
    numbers[2 * blockIdx.x] = 5;
    __threadfence();
    numbers[2 * blockIdx.x + 1] = 1;
    __threadfence_system();
  }
  __threadfence_block();
  __syncthreads();
  const bool is_set = numbers[2 * blockIdx.x + 1] == 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = is_set && numbers[2 * blockIdx.x] == 5;
}

}  // namespace

std::vector<int> mirror(int n_threads) {
  return run_kernel(mirror_kernel, {1, static_cast<unsigned>(n_threads)}, n_threads);
}
std::vector<int> ring(int rounds) { return run_kernel(ring_kernel, {1, 100}, 100, rounds); }
std::vector<int> votes() { return run_kernel(votes_kernel, {1, 70}, 9 * 70); }
std::vector<int> exited_threads_are_not_waited_for() { return run_kernel(exited_threads_kernel, {1, 64}, 16); }
std::vector<int> barrier_in_both_branches() { return run_kernel(both_branches_kernel, {1, 64}, 64); }
std::vector<int> fences() {
  DeviceBuffer<int> numbers(std::vector<int>(16, 0));
  return run_kernel(fences_kernel, {8, 32}, 256, numbers.data());
}

}  // namespace waitless::simt_test
