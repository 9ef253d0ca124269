#include <algorithm>

#include "tests/common/simt/atomic_kernels.h"
#include "tests/common/simt/run_kernel.h"

namespace waitless::simt_test {
namespace {

template <class T>
__global__ void integer_atomics_kernel(T* cells) {
  const T thread = static_cast<T>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(&cells[0], thread);
  atomicMin(&cells[2], static_cast<T>(5000 - thread));
  atomicMax(&cells[3], thread);
  atomicAnd(&cells[4], static_cast<T>(~(T(1) << thread % 31)));
  atomicOr(&cells[5], static_cast<T>(T(1) << thread % 16));
  atomicXor(&cells[6], thread);
  atomicAdd(&cells[7], atomicExch(&cells[8], static_cast<T>(thread + 1)));
  if constexpr (sizeof(T) == 4) atomicSub(&cells[1], T(2));
}

template <class T>
IntegerAtomics integer_atomics() {
  std::vector<T> start(9, T(0));
  start[1] = 10000;
  start[2] = 1000000;
  start[4] = T(0x7fffffff);
  DeviceBuffer<T> cells(start);
  launch(integer_atomics_kernel<T>, {10, 100}, cells.data());
  const std::vector<T> end = cells.to_host();
  // Each exchanged value but the last has been read by one thread.
  return {static_cast<unsigned long long>(end[0]), static_cast<unsigned long long>(end[1]),
          static_cast<unsigned long long>(end[2]), static_cast<unsigned long long>(end[3]),
          static_cast<unsigned long long>(end[4]), static_cast<unsigned long long>(end[5]),
          static_cast<unsigned long long>(end[6]), static_cast<unsigned long long>(end[7] + end[8])};
}

__global__ void floating_point_kernel(double* sums, float* float_sums) {
  atomicAdd(&sums[0], 0.25);
  atomicAdd(&float_sums[0], 0.25f);
  atomicExch(&float_sums[1], 2.5f);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&sums[2], double(static_cast<volatile float*>(float_sums)[1]));
}

__global__ void tickets_kernel(int* out, int* counter) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(counter, 1);
}

__global__ void product_kernel(unsigned* product) {
  unsigned seen = *product, expected;
  do {
    expected = seen;
    seen = atomicCAS(product, expected, expected * 3 % 65537);
  } while (seen != expected);
}

__global__ void wrapping_kernel(unsigned* counters) {
  atomicInc(&counters[0], 9);
  atomicDec(&counters[1], 6);
}

__global__ void shared_counters_kernel(int* out, int* total) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, int(threadIdx.x));
  __syncthreads();
  if (threadIdx.x == 0) {
    out[blockIdx.x] = count;
    atomicAdd(total, count);
  }
}

}  // namespace

IntegerAtomics integer_atomics_int() { return integer_atomics<int>(); }
IntegerAtomics integer_atomics_unsigned() { return integer_atomics<unsigned>(); }
IntegerAtomics integer_atomics_unsigned_long_long() { return integer_atomics<unsigned long long>(); }

std::vector<double> floating_point_atomics() {
  DeviceBuffer<float> float_sums(std::vector<float>{0.0f, 1.0f});
  std::vector<double> sums = run_kernel(floating_point_kernel, {10, 100}, 3, float_sums.data());
  sums[1] = float_sums.to_host()[0];
  return sums;
}

std::vector<int> tickets() {
  DeviceBuffer<int> counter(std::vector<int>{0});
  std::vector<int> drawn = run_kernel(tickets_kernel, {4, 64}, 256, counter.data());
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

unsigned product_by_cas() {
  DeviceBuffer<unsigned> product(std::vector<unsigned>{1});
  launch(product_kernel, {5, 100}, product.data());
  return product.to_host()[0];
}

std::vector<unsigned> wrapping_counters() { return run_kernel(wrapping_kernel, {1, 103}, 2); }

std::vector<int> shared_counters() {
  DeviceBuffer<int> total(std::vector<int>{0});
  std::vector<int> counts = run_kernel(shared_counters_kernel, {12, 64}, 12, total.data());
  counts.push_back(total.to_host()[0]);
  return counts;
}

}  // namespace waitless::simt_test
