#include <numeric>

#include "common/cuda/device_buffer.h"
#include "common/cuda/half.h"
#include "common/cuda/launch.h"
#include "common/cuda/shared_memory.h"
#include "tests/common/simt_checked/legitimate_patterns.h"

namespace waitless::simt_test {
namespace {

constexpr unsigned kAllLanes = 0xffffffffu;

// Lanes of a warp exchange through shared memory, with __syncwarp between reads and writes.
__global__ void warp_exchange_kernel(int* out) {
  __shared__ int values[64];
  const int t = threadIdx.x;
  int sum = t;
  for (int step = 16; step > 0; step /= 2) {
    values[t] = sum;
    __syncwarp();
    sum += values[t ^ step];
    __syncwarp();
  }
  out[t] = sum;
}

// The halves of a warp synchronize apart, then together.
__global__ void half_warps_kernel(int* out) {
  __shared__ int values[32];
  const int t = threadIdx.x;
  const unsigned half = t < 16 ? 0x0000ffffu : 0xffff0000u;
  values[t] = t;
  __syncwarp(half);
  const int mirrored = values[t ^ 15];
  __syncwarp();
  values[t] = mirrored;
  __syncwarp();
  out[t] = values[31 - t];
}

// One barrier a round: a buffer is written while the other is read.
__global__ void double_buffer_kernel(int* out, const int* x, int n) {
  __shared__ int tile[2][32];
  const int t = threadIdx.x;
  int sum = 0;
  tile[0][t] = x[t];
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    if (i + 1 < n) tile[(i + 1) % 2][t] = x[(i + 1) * 32 + t];
    sum += tile[i % 2][31 - t];
  }
  out[t] = sum;
}

// Neighbouring bytes belong to different threads.
__global__ void bytes_kernel(int* out) {
  __shared__ unsigned char bytes[128];
  const int t = threadIdx.x;
  bytes[t] = static_cast<unsigned char>(t);
  __syncthreads();
  out[t] = bytes[127 - t];
}

// So do neighbouring halves, updated in place in global memory.
__global__ void halves_kernel(half_t* x) { x[threadIdx.x] = half_t(2 * float(x[threadIdx.x])); }

// The same shared memory as floats, then as integers.
__global__ void reuse_kernel(int* out) {
  float* const floats = dynamic_shared_memory<float>();
  int* const ints = dynamic_shared_memory<int>();
  const int t = threadIdx.x;
  floats[t] = t;
  __syncthreads();
  const int value = static_cast<int>(floats[63 - t]);
  __syncthreads();
  ints[t] = value;
  __syncthreads();
  out[t] = ints[(t + 1) % 64];
}

// Threads without an element return before the warp's shuffle, which names the others.
__global__ void early_return_kernel(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lanes = __ballot_sync(kAllLanes, i < n);
  if (i >= n) return;
  out[i] = __shfl_sync(lanes, i, 0);
}

// Warps that are not needed any more return before the last barriers.
__global__ void shrinking_kernel(int* out) {
  __shared__ int values[128];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  if (t >= 64) return;
  const int sum = values[t] + values[t + 64];
  __syncthreads();
  values[t] = sum;
  __syncthreads();
  out[t] = values[63 - t];
}

// A device function with shared memory of its own, called twice; the trailing barrier makes that safe.
__device__ int block_sum(int value) {
  __shared__ int sums[2];
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(kAllLanes, value, step);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  value = sums[0] + sums[1];
  __syncthreads();
  return value;
}
__global__ void twice_kernel(int* out) { out[threadIdx.x] = block_sum(1) + block_sum(threadIdx.x); }

// A block exchanges through global memory, with barriers.
__global__ void through_global_kernel(int* out) {
  const int t = threadIdx.x;
  out[t] = t;
  __syncthreads();
  const int value = out[63 - t];
  __syncthreads();
  out[t] = value;
}

// The last block to finish adds up what all blocks have written; CUDA's programming guide has this one.
__device__ unsigned n_done;
__global__ void last_block_kernel(volatile int* partial, int* out) {
  __shared__ bool is_last;
  const int t = threadIdx.x;
  if (t == 0) {
    partial[blockIdx.x] = blockIdx.x;
    __threadfence();
    is_last = atomicInc(&n_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && t < int(gridDim.x)) out[t] = partial[t];
}

// The same, with what all threads of a block have written: the barrier comes before the fence.
__global__ void last_block_of_many_kernel(int* partial, unsigned* n_blocks_done, int* out) {
  __shared__ bool is_last;
  partial[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(n_blocks_done, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  for (int i = threadIdx.x; i < int(gridDim.x * blockDim.x); i += blockDim.x) sum += partial[i];
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0) *n_blocks_done = 0;
}

// Lane 0 publishes what its warp has written before __syncwarp.
__global__ void warp_publishes_kernel(int* partial, unsigned* n_warps_done, int* out) {
  const int t = threadIdx.x;
  partial[blockIdx.x * 32 + t] = 1;
  __syncwarp();
  bool is_last = false;
  if (t == 0) {
    __threadfence();
    is_last = atomicAdd(n_warps_done, 1u) == gridDim.x - 1;
  }
  is_last = __shfl_sync(kAllLanes, is_last, 0);
  __syncwarp();
  if (!is_last) return;
  int sum = 0;
  for (int i = t; i < int(gridDim.x) * 32; i += 32) sum += partial[i];
  out[t] = sum;
}

// An atomic operation built on atomicCAS starts with a plain read.
__device__ float atomic_max(float* address, float value) {
  int* const bits = reinterpret_cast<int*>(address);
  int old = *bits, expected;
  do {
    expected = old;
    old = atomicCAS(bits, expected, __float_as_int(fmaxf(value, __int_as_float(expected))));
  } while (old != expected);
  return __int_as_float(old);
}
__global__ void maximum_kernel(float* maximum, const float* x) {
  atomic_max(maximum, x[blockIdx.x * blockDim.x + threadIdx.x]);
}

// Many threads set the same flag to the same value.
__global__ void flag_kernel(int* has_negative, const float* x) {
  if (x[blockIdx.x * blockDim.x + threadIdx.x] < 0) *has_negative = 1;
}

// A histogram in shared memory, added to global memory.
__global__ void histogram_kernel(int* counts, const unsigned char* x, int n) {
  __shared__ int local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[x[i] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

// All lanes add to one counter with one atomic operation.
__global__ void aggregate_kernel(int* out, int* n_kept) {
  const int t = threadIdx.x;
  const bool is_kept = t % 3 == 0;
  const unsigned kept = __ballot_sync(kAllLanes, is_kept);
  int first = 0;
  if (t % 32 == __ffs(kept) - 1) first = atomicAdd(n_kept, __popc(kept));
  first = __shfl_sync(kAllLanes, first, __ffs(kept) - 1);
  if (is_kept) out[first + __popc(kept & ((1u << (t % 32)) - 1))] = 1;
}

// Each thread overwrites its own element, which only it reads.
__global__ void in_place_kernel(float* x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    x[i] = x[i] + 1;
    x[i] = x[i] * 2;
  }
}

// A local array that is indexed at run time, and whose address a device function takes.
__device__ __attribute__((noinline)) int sum_of(const int* values, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += values[i];
  return sum;
}
__global__ void local_array_kernel(int* out, int shift) {
  int values[8];
  for (int i = 0; i < 8; ++i) values[(i + shift) % 8] = i;
  __syncthreads();
  out[threadIdx.x] = sum_of(values, 8) + values[shift % 8];
}

// Structs as arguments, and in shared and global memory.
struct Pair {
  float value;
  int index;
};
struct Range {
  const float* begin;
  int n;
};
__global__ void argmax_kernel(Pair* out, Range x) {
  __shared__ Pair best[64];
  const int t = threadIdx.x;
  best[t] = t < x.n ? Pair{x.begin[t], t} : Pair{-1.0f, -1};
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half && best[t + half].value > best[t].value) best[t] = best[t + half];
    __syncthreads();
  }
  if (t == 0) *out = best[0];
}

// float4 to shared memory, floats from it.
__global__ void vectors_kernel(float* out, const float4* x) {
  __shared__ __align__(16) float values[128];
  const int t = threadIdx.x;
  if (t < 32) reinterpret_cast<float4*>(values)[t] = x[t];
  __syncthreads();
  out[t] = values[127 - t];
}

// Constant memory and a table in the program.
__constant__ float weights[4] = {1, 2, 3, 4};
__global__ void tables_kernel(float* out) {
  static constexpr float kTable[] = {10, 20, 30, 40};
  out[threadIdx.x] = weights[threadIdx.x % 4] + kTable[(threadIdx.x + blockIdx.x) % 4];
}

// Two kernels, one after the other, exchange without any fence.
__global__ void first_kernel(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
__global__ void second_kernel(int* y, const int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[n - 1 - i];
}

// A barrier in a loop whose number of rounds all threads agree on, at run time.
__global__ void agreed_rounds_kernel(int* out, const int* n_rounds) {
  __shared__ int value;
  if (threadIdx.x == 0) value = 0;
  __syncthreads();
  for (int i = 0; i < *n_rounds; ++i) {
    if (threadIdx.x == i % 64) value += 1;
    __syncthreads();
  }
  out[threadIdx.x] = value;
}

template <class T>
double sum_of(const DeviceBuffer<T>& buffer) {
  double sum = 0;
  for (const T value : buffer.to_host()) sum += value;
  return sum;
}

template <class T>
DeviceBuffer<T> zeros(std::size_t n) {
  return DeviceBuffer<T>(std::vector<T>(n));
}

template <auto kernel, int n_threads>
double run() {
  DeviceBuffer<int> out(n_threads);
  launch(kernel, {1, n_threads}, out.data());
  return sum_of(out);
}

std::vector<float> up_to(int n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

}  // namespace

std::vector<LegitimatePattern> legitimate_patterns() {
  return {
      // Each lane of two warps holds 0 + .. + 31 or 32 + .. + 63.
      {"warp_exchange", run<warp_exchange_kernel, 64>, 32 * 496.0 + 32 * 1520.0},
      {"half_warps", run<half_warps_kernel, 32>, 496},
      {"double_buffer",
       [] {
         DeviceBuffer<int> out(32), x(std::vector<int>(5 * 32, 3));
         launch(double_buffer_kernel, {1, 32}, out.data(), x.data(), 5);
         return sum_of(out);
       },
       32 * 15},
      {"bytes", run<bytes_kernel, 128>, 127 * 64},
      {"halves",
       [] {
         DeviceBuffer<half_t> x(std::vector<half_t>(64, half_t(1.5f)));
         launch(halves_kernel, {1, 64}, x.data());
         return sum_of(x);
       },
       64 * 3},
      {"reuse",
       [] {
         DeviceBuffer<int> out(64);
         launch(reuse_kernel, {1, 64, 256}, out.data());
         return sum_of(out);
       },
       63 * 32},
      // 100 threads: the first index of each warp, 0, 32, 64 and, four times, 96.
      {"early_return",
       [] {
         DeviceBuffer<int> out(100);
         launch(early_return_kernel, {2, 64}, out.data(), 100);
         return sum_of(out);
       },
       32 * 32 + 32 * 64 + 4 * 96},
      {"shrinking",
       [] {
         DeviceBuffer<int> out(64);
         launch(shrinking_kernel, {1, 128}, out.data());
         return sum_of(out);
       },
       127 * 64},
      {"twice", run<twice_kernel, 64>, 64 * (64 + 2016)},
      {"through_global", run<through_global_kernel, 64>, 2016},
      {"last_block",
       [] {
         DeviceBuffer<int> partial(16), out(16);
         launch(last_block_kernel, {16, 32}, partial.data(), out.data());
         return sum_of(out);
       },
       120},
      {"last_block_of_many",
       [] {
         DeviceBuffer<int> partial(8 * 64), out(64);
         DeviceBuffer<unsigned> n = zeros<unsigned>(1);
         launch(last_block_of_many_kernel, {8, 64}, partial.data(), n.data(), out.data());
         return sum_of(out) + sum_of(n);
       },
       512},
      {"warp_publishes",
       [] {
         DeviceBuffer<int> partial(8 * 32), out(32);
         DeviceBuffer<unsigned> n = zeros<unsigned>(1);
         launch(warp_publishes_kernel, {8, 32}, partial.data(), n.data(), out.data());
         return sum_of(out);
       },
       256},
      {"maximum",
       [] {
         DeviceBuffer<float> maximum = zeros<float>(1), x(up_to(256));
         launch(maximum_kernel, {4, 64}, maximum.data(), x.data());
         return sum_of(maximum);
       },
       255},
      {"flag",
       [] {
         DeviceBuffer<int> flag = zeros<int>(1);
         DeviceBuffer<float> x(std::vector<float>(256, -1.0f));
         launch(flag_kernel, {4, 64}, flag.data(), x.data());
         return sum_of(flag);
       },
       1},
      {"histogram",
       [] {
         DeviceBuffer<int> counts = zeros<int>(16);
         DeviceBuffer<unsigned char> x(std::vector<unsigned char>(1000, 37));
         launch(histogram_kernel, {4, 64}, counts.data(), x.data(), 1000);
         return 1.0 * counts.to_host()[5];
       },
       1000},
      {"aggregate",
       [] {
         DeviceBuffer<int> out = zeros<int>(96), n_kept = zeros<int>(1);
         launch(aggregate_kernel, {1, 96}, out.data(), n_kept.data());
         return sum_of(out) + 100 * sum_of(n_kept);
       },
       32 + 3200},
      {"in_place",
       [] {
         DeviceBuffer<float> x(up_to(100));
         launch(in_place_kernel, {1, 32}, x.data(), 100);
         return sum_of(x);
       },
       2 * (4950 + 100)},
      {"local_array",
       [] {
         DeviceBuffer<int> out(64);
         launch(local_array_kernel, {1, 64}, out.data(), 3);
         return sum_of(out);
       },
       64 * 28},
      {"argmax",
       [] {
         DeviceBuffer<Pair> out(1);
         std::vector<float> values = up_to(50);
         values[17] = 1000;
         DeviceBuffer<float> x(values);
         launch(argmax_kernel, {1, 64}, out.data(), Range{x.data(), 50});
         return 1.0 * out.to_host()[0].index;
       },
       17},
      {"vectors",
       [] {
         DeviceBuffer<float> out(128), x(up_to(128));
         launch(vectors_kernel, {1, 128}, out.data(), reinterpret_cast<const float4*>(x.data()));
         return sum_of(out);
       },
       127 * 64},
      {"tables",
       [] {
         DeviceBuffer<float> out(32);
         launch(tables_kernel, {1, 32}, out.data());
         return sum_of(out);
       },
       8 * (10 + 100)},
      {"two_kernels",
       [] {
         DeviceBuffer<int> x(256), y(256);
         launch(first_kernel, {4, 64}, x.data());
         launch(second_kernel, {8, 32}, y.data(), x.data(), 256);
         return sum_of(y);
       },
       4 * 2016},
      {"agreed_rounds",
       [] {
         DeviceBuffer<int> out(64), n(std::vector<int>(1, 10));
         launch(agreed_rounds_kernel, {1, 64}, out.data(), n.data());
         return sum_of(out);
       },
       640},
  };
}

}  // namespace waitless::simt_test
