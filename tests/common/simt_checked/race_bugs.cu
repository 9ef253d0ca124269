#include "common/cuda/device_buffer.h"
#include "common/cuda/half.h"
#include "common/cuda/launch.h"
#include "tests/common/simt_checked/injected_bugs.h"

namespace waitless::simt_test {
namespace {

constexpr unsigned kAllLanes = 0xffffffffu;

// In shared memory.

__global__ void no_barrier_kernel(int* out) {
  __shared__ int values[64];
  const int t = threadIdx.x;
  values[t] = t;            // OTHER no_barrier
  out[t] = values[63 - t];  // BUG no_barrier
}

__global__ void read_then_write_kernel(int* out) {
  __shared__ int values[64];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  const int neighbour = values[(t + 1) % 64];  // SIDE read_then_write
  values[t] = 2 * neighbour;                   // SIDE read_then_write
  __syncthreads();
  out[t] = values[t];
}

__global__ void who_wins_kernel(int* out) {
  __shared__ int winner;
  winner = threadIdx.x;  // BUG who_wins
  __syncthreads();
  out[threadIdx.x] = winner;
}

__global__ void warp_sum_kernel(int* out) {
  __shared__ int values[64];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  for (int half = 16; half > 0; half /= 2) {
    if (t < half) values[t] += values[t + half];  // BUG warp_sum
  }
  __syncthreads();
  if (t == 0) *out = values[0];
}

__global__ void volatile_warp_kernel(int* out) {
  __shared__ volatile int values[64];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  if (t < 16) values[t] = values[t] + values[t + 16];
  if (t < 8) values[t] = values[t] + values[t + 8];  // BUG volatile_warp
  __syncthreads();
  if (t == 0) *out = values[0];
}

__global__ void tile_reuse_kernel(int* out, const int* x, int n_tiles) {
  __shared__ int tile[32];
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = 0; i < n_tiles; ++i) {
    tile[t] = x[i * 32 + t];  // SIDE tile_reuse
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += tile[k];  // SIDE tile_reuse
  }
  out[t] = sum;
}

__device__ int block_sum(int value) {
  __shared__ int sums[64];
  const int t = threadIdx.x;
  sums[t] = value;  // SIDE second_call
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
  return sums[0];  // SIDE second_call
}

__global__ void second_call_kernel(int* out) { out[threadIdx.x] = block_sum(threadIdx.x) + 100 * block_sum(1); }

__global__ void two_buffers_kernel(int* out) {
  __shared__ int values[2][64];
  const int t = threadIdx.x;
  int now = 0;
  values[now][t] = 1;
  __syncthreads();
  for (int distance = 1; distance < 64; distance *= 2) {
    values[1 - now][t] = values[now][t] + (t >= distance ? values[now][t - distance] : 0);  // BUG two_buffers
    now = 1 - now;
  }
  out[t] = values[now][t];
}

__global__ void plain_histogram_kernel(int* out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  bins[threadIdx.x % 8] += 1;  // BUG plain_histogram
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}

__global__ void early_count_kernel(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);      // SIDE early_count
  out[threadIdx.x] = count;  // SIDE early_count
}

__global__ void half_mask_kernel(int* out) {
  __shared__ int values[32];
  const int t = threadIdx.x;
  values[t] = t;  // SIDE half_mask
  __syncwarp(t < 16 ? 0x0000ffffu : 0xffff0000u);
  out[t] = values[31 - t];  // SIDE half_mask
}

__global__ void shuffle_as_barrier_kernel(int* out) {
  __shared__ int values[32];
  const int t = threadIdx.x;
  values[t] = t;  // SIDE shuffle_as_barrier
  const int lane = __shfl_sync(kAllLanes, t, 31 - t);
  out[t] = values[lane];  // SIDE shuffle_as_barrier
}

__global__ void one_warp_only_kernel(int* out) {
  __shared__ int values[64];
  const int t = threadIdx.x;
  values[t] = t;  // SIDE one_warp_only
  __syncwarp();
  out[t] = values[63 - t];  // SIDE one_warp_only
}

__global__ void same_byte_kernel(int* out) {
  __shared__ unsigned char flags[32];
  flags[threadIdx.x / 2] = static_cast<unsigned char>(threadIdx.x);  // BUG same_byte
  __syncthreads();
  out[threadIdx.x] = flags[threadIdx.x / 2];
}

__global__ void overlapping_halves_kernel(half_t* x) {
  x[threadIdx.x] = half_t(static_cast<float>(threadIdx.x));      // SIDE overlapping_halves
  x[threadIdx.x + 1] = half_t(static_cast<float>(threadIdx.x));  // SIDE overlapping_halves
}

__global__ void vector_and_scalar_kernel(float* x) {
  if (threadIdx.x == 0) reinterpret_cast<float4*>(x)[0] = make_float4(1, 2, 3, 4);  // SIDE vector_and_scalar
  if (threadIdx.x == 40) x[2] = 5.0f;                                               // SIDE vector_and_scalar
}

// In global memory.

__global__ void plain_sum_kernel(float* sum, const float* x) {
  *sum += x[threadIdx.x];  // BUG plain_sum
}

__global__ void blocks_sum_kernel(float* sum, const float* x) {
  if (threadIdx.x == 0) *sum += x[blockIdx.x];  // BUG blocks_sum
}

__global__ void last_writer_kernel(int* out) {
  if (threadIdx.x == 0) *out = blockIdx.x;  // BUG last_writer
}

__global__ void in_place_kernel(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int right = x[(i + 1) % n];  // SIDE in_place
  x[i] = right;                      // SIDE in_place
}

__global__ void in_place_blocks_kernel(int* x, int n) {
  const int i = blockIdx.x;
  const int right = x[(i + 1) % n];  // SIDE in_place_blocks
  x[i] = right;                      // SIDE in_place_blocks
}

__global__ void next_block_kernel(int* out, int* partial) {
  partial[blockIdx.x] = blockIdx.x;                         // SIDE next_block
  out[blockIdx.x] = partial[(blockIdx.x + 1) % gridDim.x];  // SIDE next_block
}

__global__ void last_block_kernel(int* out, int* partial, unsigned* n_done) {
  partial[blockIdx.x] = blockIdx.x;  // OTHER last_block
  if (atomicAdd(n_done, 1u) == gridDim.x - 1) {
    int sum = 0;
    for (int i = 0; i < int(gridDim.x); ++i) sum += partial[i];  // BUG last_block
    *out = sum;
  }
}

__global__ void late_fence_kernel(int* out, int* partial, unsigned* n_done) {
  const bool is_last = atomicAdd(n_done, 1u) == gridDim.x - 1;
  partial[blockIdx.x] = blockIdx.x;  // OTHER late_fence
  __threadfence();
  if (is_last) {
    int sum = 0;
    for (int i = 0; i < int(gridDim.x); ++i) sum += partial[i];  // BUG late_fence
    *out = sum;
  }
}

__global__ void block_without_barrier_kernel(int* out, int* partial, unsigned* n_done) {
  __shared__ bool is_last;
  partial[blockIdx.x * blockDim.x + threadIdx.x] = 1;  // OTHER block_without_barrier
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(n_done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < int(gridDim.x * blockDim.x); ++i) sum += partial[i];  // BUG block_without_barrier
    *out = sum;
  }
}

__global__ void reset_kernel(int* counter) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *counter = 0;  // SIDE reset
  __syncthreads();
  atomicAdd(counter, 1);  // SIDE reset
}

__device__ int found;
__global__ void variable_race_kernel() {
  found = blockIdx.x * 32 + threadIdx.x;  // BUG variable_race
}

template <class T>
DeviceBuffer<T> zeros(std::size_t n) {
  DeviceBuffer<T> buffer(n);
  buffer.fill_bytes(0);
  return buffer;
}

/// Runs a kernel (int* out, ...) with an output of 64 numbers.
template <auto kernel>
void run_64() {
  DeviceBuffer<int> out(64);
  launch(kernel, {1, 64}, out.data());
}
template <auto kernel>
void run_32() {
  DeviceBuffer<int> out(32);
  launch(kernel, {1, 32}, out.data());
}

}  // namespace

std::vector<InjectedBug> race_bugs() {
  const cudaError_t race = cudaErrorLaunchFailure;
  return {
      {"no_barrier", run_64<no_barrier_kernel>, race, "of shared variable values (256 bytes) in a race"},
      {"read_then_write", run_64<read_then_write_kernel>, race, "in a race"},
      {"who_wins", run_64<who_wins_kernel>, race, "writes 4 bytes at byte 0 of shared variable winner (4 bytes)"},
      {"warp_sum", run_64<warp_sum_kernel>, race, "no __syncthreads() or __syncwarp() orders the two"},
      {"volatile_warp", run_64<volatile_warp_kernel>, race, "lanes of a warp do not run in step"},
      {"tile_reuse",
       [] {
         DeviceBuffer<int> out(32), x = zeros<int>(4 * 32);
         launch(tile_reuse_kernel, {1, 32}, out.data(), x.data(), 4);
       },
       race, "shared variable tile"},
      {"second_call", run_64<second_call_kernel>, race, "shared variable sums"},
      {"two_buffers", run_64<two_buffers_kernel>, race, "shared variable values"},
      {"plain_histogram", run_64<plain_histogram_kernel>, race, "shared variable bins"},
      {"early_count", run_64<early_count_kernel>, race, "shared variable count"},
      {"half_mask", run_32<half_mask_kernel>, race, "shared variable values"},
      {"shuffle_as_barrier", run_32<shuffle_as_barrier_kernel>, race, "shared variable values"},
      {"one_warp_only", run_64<one_warp_only_kernel>, race, "no __syncthreads() orders the two"},
      {"same_byte", run_64<same_byte_kernel>, race, "writes 1 byte at"},
      {"overlapping_halves",
       [] {
         DeviceBuffer<half_t> x(65);
         launch(overlapping_halves_kernel, {1, 64}, x.data());
       },
       race, "writes 2 bytes at"},
      {"vector_and_scalar",
       [] {
         DeviceBuffer<float> x(64);
         launch(vector_and_scalar_kernel, {1, 64}, x.data());
       },
       race, "of x (256 bytes"},
      {"plain_sum",
       [] {
         DeviceBuffer<float> sum = zeros<float>(1), x = zeros<float>(64);
         x.copy_from_host(std::vector<float>(64, 1.0f));
         launch(plain_sum_kernel, {1, 64}, sum.data(), x.data());
       },
       race, "in a race"},
      {"blocks_sum",
       [] {
         DeviceBuffer<float> sum = zeros<float>(1), x = zeros<float>(64);
         x.copy_from_host(std::vector<float>(64, 1.0f));
         launch(blocks_sum_kernel, {64, 32}, sum.data(), x.data());
       },
       race, "thread blocks run in any order"},
      {"last_writer",
       [] {
         DeviceBuffer<int> out(1);
         launch(last_writer_kernel, {4, 32}, out.data());
       },
       race, "thread blocks run in any order"},
      {"in_place",
       [] {
         DeviceBuffer<int> x = zeros<int>(64);
         launch(in_place_kernel, {1, 64}, x.data(), 64);
       },
       race, "in a race"},
      {"in_place_blocks",
       [] {
         DeviceBuffer<int> x = zeros<int>(64);
         launch(in_place_blocks_kernel, {64, 1}, x.data(), 64);
       },
       race, "thread blocks run in any order"},
      {"next_block",
       [] {
         DeviceBuffer<int> out(8), partial = zeros<int>(8);
         launch(next_block_kernel, {8, 1}, out.data(), partial.data());
       },
       race, "thread blocks run in any order"},
      {"last_block",
       [] {
         DeviceBuffer<int> out(1), partial(8);
         DeviceBuffer<unsigned> n_done = zeros<unsigned>(1);
         launch(last_block_kernel, {8, 1}, out.data(), partial.data(), n_done.data());
       },
       race, "publish it with __threadfence() and an atomic operation"},
      {"late_fence",
       [] {
         DeviceBuffer<int> out(1), partial(8);
         DeviceBuffer<unsigned> n_done = zeros<unsigned>(1);
         launch(late_fence_kernel, {8, 1}, out.data(), partial.data(), n_done.data());
       },
       race, "thread blocks run in any order"},
      {"block_without_barrier",
       [] {
         DeviceBuffer<int> out(1), partial(8 * 64);
         DeviceBuffer<unsigned> n_done = zeros<unsigned>(1);
         launch(block_without_barrier_kernel, {8, 64}, out.data(), partial.data(), n_done.data());
       },
       race, "thread blocks run in any order"},
      {"reset",
       [] {
         DeviceBuffer<int> counter = zeros<int>(1);
         launch(reset_kernel, {4, 32}, counter.data());
       },
       race, "in a race"},
      {"variable_race",
       [] {
         launch(variable_race_kernel, {2, 32});
         int last = 0;
         cuda_check(cudaMemcpyFromSymbol(&last, found, sizeof last));
       },
       race, "of variable found"},
  };
}

}  // namespace waitless::simt_test
