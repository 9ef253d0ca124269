#include <numeric>

#include "common/cuda/shared_memory.h"
#include "tests/common/simt/memory_kernels.h"
#include "tests/common/simt/run_kernel.h"

namespace waitless::simt_test {
namespace {

__global__ void transpose_kernel(int* out) {
  __shared__ int tile[4][8];
  tile[threadIdx.y][threadIdx.x] = 10 * threadIdx.y + threadIdx.x;
  __syncthreads();
  const int i = threadIdx.x + 8 * threadIdx.y;  // element i of the transposed tile [8, 4]
  out[i] = tile[i % 4][i / 4];
}

__global__ void two_arrays_kernel(double* out, int n) {
  double* const doubles = dynamic_shared_memory<double>();
  int* const ints = reinterpret_cast<int*>(doubles + n);
  const int t = threadIdx.x;
  doubles[t] = 0.5 * t;
  ints[t] = 100 * t;
  __syncthreads();
  out[t] = doubles[n - 1 - t] + ints[(t + 1) % n];
}

__global__ void large_shared_kernel(int* out) {
  int* const values = dynamic_shared_memory<int>();
  for (int i = threadIdx.x; i < 15000; i += blockDim.x) values[i] = i;
  __syncthreads();
  out[threadIdx.x] = values[14999 - threadIdx.x];
}

template <int N>
__device__ int reversed(int value) {
  __shared__ int values[N];
  values[threadIdx.x % N] = value;
  __syncthreads();
  const int result = values[N - 1 - threadIdx.x % N];
  __syncthreads();
  return result;
}

template <int A, int B>
__global__ void templated_shared_kernel(int* out) {
  const int t = threadIdx.x;
  out[2 * t] = reversed<A>(t % A);
  out[2 * t + 1] = reversed<B>(t % B);
}

__device__ int block_sum(int value) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, value);
  __syncthreads();
  const int result = sum;
  __syncthreads();
  return result;
}

__global__ void device_function_kernel(int* out) {
  const int first = block_sum(threadIdx.x), second = block_sum(1);
  out[threadIdx.x] = 1000 * first + second;
}

__global__ void own_block_kernel(int* out) {
  const int sum = block_sum(blockIdx.x);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__constant__ float coefficients[3];

__global__ void polynomial_kernel(float* out) {
  const float x = threadIdx.x;
  out[threadIdx.x] = coefficients[0] + x * (coefficients[1] + x * coefficients[2]);
}

__device__ int counter = 5;

__global__ void counter_kernel(int* out) { out[threadIdx.x] = atomicAdd(&counter, 1) >= 5; }

__global__ void vector_loads_kernel(float* out, const float* in, int n) {
  const int i = threadIdx.x;
  if (4 * i + 3 < n) {
    const float4 v = reinterpret_cast<const float4*>(in)[i];
    reinterpret_cast<float4*>(out)[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
    const int2 bits = __ldg(reinterpret_cast<const int2*>(in) + i);
    out[n + 2 * i] = __int_as_float(bits.x);
    out[n + 2 * i + 1] = __int_as_float(bits.y);
  }
}

__global__ void vector_types_kernel(double* out) {
  const char4 a = make_char4(1, -2, 3, -4);
  const uchar2 b = make_uchar2(200, 100);
  const short2 c = make_short2(-1000, 1);
  const ushort4 d = make_ushort4(60000, 1, 2, 3);
  const int3 e = make_int3(1, 2, -4);
  const uint4 f = make_uint4(4000000000u, 1, 2, 3);
  const float2 g = make_float2(0.5f, 0.25f);
  const float3 h = make_float3(1, 2, 3);
  const double2 i = make_double2(0.1, 0.2);
  const ulonglong2 j = make_ulonglong2(1ull << 40, 1);
  const longlong2 k = make_longlong2(-(1ll << 40), 3);
  const float1 l = make_float1(7);
  const double sums[] = {double(a.x + a.y + a.z + a.w),
                         double(b.x + b.y),
                         double(c.x + c.y),
                         double(d.x + d.y + d.z + d.w),
                         double(e.x + e.y + e.z),
                         double(f.x) + f.y + f.z + f.w,
                         double(g.x + g.y),
                         double(h.x + h.y + h.z),
                         i.x + i.y,
                         double(j.x) + double(j.y),
                         double(k.x) + double(k.y),
                         double(l.x)};
  for (int n = 0; n < 12; ++n) out[n] = sums[n];
}

__global__ void local_arrays_kernel(int* out, int shift) {
  int values[32];
  for (int i = 0; i < 32; ++i) values[i] = i * int(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = values[(threadIdx.x + shift) % 32];
}

__global__ void layout_kernel(int* out) {
  const int layout[] = {sizeof(int2),   alignof(int2),   sizeof(float3),  alignof(float3),
                        sizeof(float4), alignof(float4), sizeof(double2), alignof(double2),
                        sizeof(uchar4), alignof(uchar4), sizeof(dim3),    alignof(dim3)};
  for (int i = 0; i < 12; ++i) out[i] = layout[i];
}

}  // namespace

std::vector<int> static_shared_transpose() { return run_kernel(transpose_kernel, {1, dim3(8, 4)}, 32); }

std::vector<double> dynamic_shared_as_two_arrays(int n) {
  return run_kernel(two_arrays_kernel, {3, static_cast<unsigned>(n), n * (sizeof(double) + sizeof(int))}, n, n);
}

std::vector<int> large_dynamic_shared() {
  cuda_check(cudaFuncSetAttribute(large_shared_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
  return run_kernel(large_shared_kernel, {2, 128, 60000}, 128);
}

std::vector<int> templated_shared() { return run_kernel(templated_shared_kernel<16, 64>, {1, 64}, 128); }
std::vector<int> shared_in_device_function() { return run_kernel(device_function_kernel, {5, 100}, 100); }
std::vector<int> shared_belongs_to_a_block() { return run_kernel(own_block_kernel, {32, 50}, 32); }

std::vector<float> constant_polynomial() {
  const float first[] = {1, 2, 3}, rest[] = {0, 10};
  cuda_check(cudaMemcpyToSymbol(coefficients, first, sizeof first));
  std::vector<float> values = run_kernel(polynomial_kernel, {1, 10}, 10);
  cuda_check(cudaMemcpyToSymbol(coefficients, rest, sizeof rest, sizeof(float)));
  for (const float value : run_kernel(polynomial_kernel, {1, 10}, 10)) values.push_back(value);
  return values;
}

std::vector<int> device_variable() {
  const std::vector<int> enough = run_kernel(counter_kernel, {1, 50}, 50);
  int now = 0;
  cuda_check(cudaMemcpyFromSymbol(&now, counter, sizeof now));
  const int start = 5;
  cuda_check(cudaMemcpyToSymbol(counter, &start, sizeof start));
  return {now, std::accumulate(enough.begin(), enough.end(), 0)};
}

std::vector<float> vector_loads() {
  std::vector<float> in(64);
  std::iota(in.begin(), in.end(), 0.0f);
  const DeviceBuffer<float> device_in(in);
  return run_kernel(vector_loads_kernel, {1, 32}, 96, device_in.data(), 64);
}

std::vector<double> vector_types() { return run_kernel(vector_types_kernel, {1, 1}, 12); }
std::vector<int> local_arrays() { return run_kernel(local_arrays_kernel, {1, 32}, 32, 3); }
std::vector<int> vector_layout() { return run_kernel(layout_kernel, {1, 1}, 12); }

}  // namespace waitless::simt_test
