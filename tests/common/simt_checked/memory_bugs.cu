#include "common/cuda/device_buffer.h"
#include "common/cuda/half.h"
#include "common/cuda/launch.h"
#include "common/cuda/shared_memory.h"
#include "tests/common/simt_checked/injected_bugs.h"

namespace waitless::simt_test {
namespace {

// Out of bounds.

__global__ void tail_read_kernel(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float values[256];
  values[threadIdx.x] = x[i];  // BUG tail_read
  __syncthreads();
  if (i < n) y[i] = values[255 - threadIdx.x];
}

__global__ void tail_write_kernel(float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 1.0f;  // BUG tail_write
}

__global__ void left_neighbour_kernel(float* y, const float* x) {
  const int i = threadIdx.x;
  y[i] = x[i] - x[i - 1];  // BUG left_neighbour
}

__global__ void wrong_stride_kernel(float* y, int n_rows) {
  y[threadIdx.x * n_rows + 5] = 1.0f;  // BUG wrong_stride
}

__global__ void vector_tail_kernel(float* y, const float* x) {
  const float4 v = reinterpret_cast<const float4*>(x)[threadIdx.x];  // BUG vector_tail
  y[threadIdx.x] = v.x + v.y + v.z + v.w;
}

__global__ void half_tail_kernel(float* y, const half_t* x) {
  y[threadIdx.x] = x[threadIdx.x + 1];  // BUG half_tail
}

__global__ void atomic_bin_kernel(int* bins, const int* x) {
  atomicAdd(&bins[x[threadIdx.x]], 1);  // BUG atomic_bin
}

__global__ void little_dynamic_kernel(float* y) {
  float* const values = dynamic_shared_memory<float>();
  values[threadIdx.x] = 1.0f;  // BUG little_dynamic
  __syncthreads();
  y[threadIdx.x] = values[0];
}

__global__ void shared_index_kernel(float* y, int shift) {
  __shared__ float values[32];
  values[threadIdx.x] = 1.0f;
  __syncthreads();
  y[threadIdx.x] = values[threadIdx.x + shift];  // BUG shared_index
}

__device__ __attribute__((noinline)) void fill(float* values, int n) {
  for (int i = threadIdx.x; i < n; i += 32) values[i] = 0.0f;  // BUG shared_pointer
}

__global__ void shared_pointer_kernel(float* y) {
  __shared__ float values[48];
  fill(values, 4096);
  __syncthreads();
  y[threadIdx.x] = values[threadIdx.x];
}

__global__ void tile_column_kernel(float* y, int n_cols) {
  __shared__ float tile[8][32];
  for (int col = threadIdx.x; col < n_cols; col += 32) tile[threadIdx.x % 8][col] = 1.0f;  // BUG tile_column
  __syncthreads();
  y[threadIdx.x] = tile[0][threadIdx.x];
}

__global__ void local_index_kernel(int* y, int n) {
  int values[8] = {};
  for (int i = 0; i < n; ++i) values[(i * 5) % 9] += i;  // BUG local_index
  y[threadIdx.x] = values[threadIdx.x % 8];
}

__constant__ float weights[4] = {1, 2, 3, 4};
__global__ void constant_index_kernel(float* y) {
  y[threadIdx.x] = weights[threadIdx.x];  // BUG constant_index
}

__device__ int table[4];
__global__ void variable_index_kernel() {
  table[threadIdx.x] = 1;  // BUG variable_index
}

// Alignment.

__global__ void misaligned_float4_kernel(float* y, const float* x) {
  const float4 v = *reinterpret_cast<const float4*>(x + 4 * threadIdx.x + 1);  // BUG misaligned_float4
  y[threadIdx.x] = v.x;
}

__global__ void misaligned_int2_kernel(int* y) {
  *reinterpret_cast<int2*>(y + 3 * threadIdx.x) = make_int2(1, 2);  // BUG misaligned_int2
}

__global__ void misaligned_shared_kernel(double* y) {
  __shared__ float values[64];
  *reinterpret_cast<double*>(&values[threadIdx.x]) = 1.0;  // BUG misaligned_shared
  __syncthreads();
  y[threadIdx.x] = values[threadIdx.x];
}

// Memory that is not there.

__global__ void read_kernel(float* y, const float* x) {
  y[threadIdx.x] = x[threadIdx.x];  // BUG read
}

__global__ void write_kernel(float* y) {
  y[threadIdx.x] = 1.0f;  // BUG write
}

__global__ void others_local_kernel(int* y) {
  __shared__ int* address;
  int mine = threadIdx.x;
  if (threadIdx.x == 0) address = &mine;
  __syncthreads();
  y[threadIdx.x] = *address;  // BUG others_local
  __syncthreads();
}

// Uninitialised memory.

__global__ void uninitialised_shared_kernel(float* y, int n) {
  __shared__ float values[32];
  if (threadIdx.x < n) values[threadIdx.x] = 1.0f;
  __syncthreads();
  y[threadIdx.x] = values[threadIdx.x];  // BUG uninitialised_shared
}

__global__ void uninitialised_sum_kernel(int* y) {
  __shared__ int sum;
  atomicAdd(&sum, 1);  // BUG uninitialised_sum
  __syncthreads();
  y[threadIdx.x] = sum;
}

__global__ void uninitialised_dynamic_kernel(float* y) {
  const float* const values = dynamic_shared_memory<float>();
  y[threadIdx.x] = values[threadIdx.x];  // BUG uninitialised_dynamic
}

__global__ void second_block_kernel(float* y) {
  __shared__ float value;
  if (blockIdx.x == 0 && threadIdx.x == 0) value = 1.0f;
  __syncthreads();
  y[blockIdx.x * blockDim.x + threadIdx.x] = value;  // BUG second_block
}

// Stacks.

__device__ __attribute__((noinline)) int depth(int n, volatile int* out) {
  volatile int here[64];
  here[n % 64] = n;                                               // SIDE recursion
  return *out == 1234567 ? n : depth(n + 1, out) + here[n % 64];  // SIDE recursion
}
__global__ void recursion_kernel(int* y) { y[threadIdx.x] = depth(0, y); }

template <class T>
DeviceBuffer<T> zeros(std::size_t n, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  DeviceBuffer<T> buffer(n, file, line);
  buffer.fill_bytes(0);
  return buffer;
}

}  // namespace

std::vector<InjectedBug> memory_bugs() {
  return {
      {"tail_read",
       [] {
         DeviceBuffer<float> y(1000);
         DeviceBuffer<float> x(std::vector<float>(1000));
         launch(tail_read_kernel, {4, 256}, y.data(), x.data(), 1000);
       },
       cudaErrorIllegalAddress, "beyond the end of x (4000 bytes, allocated at"},
      {"tail_write",
       [] {
         DeviceBuffer<float> result(1000);
         launch(tail_write_kernel, {4, 256}, result.data());
       },
       cudaErrorIllegalAddress, "beyond the end of result (4000 bytes"},
      {"left_neighbour",
       [] {
         DeviceBuffer<float> y(32);
         DeviceBuffer<float> x(std::vector<float>(32));
         launch(left_neighbour_kernel, {1, 32}, y.data(), x.data());
       },
       cudaErrorIllegalAddress, "beyond the end of"},
      {"wrong_stride",
       [] {
         DeviceBuffer<float> y(32 * 8);
         launch(wrong_stride_kernel, {1, 32}, y.data(), 9);
       },
       cudaErrorIllegalAddress, "beyond the end of y (1024 bytes"},
      {"vector_tail",
       [] {
         DeviceBuffer<float> y(2);
         DeviceBuffer<float> x(std::vector<float>(6));
         launch(vector_tail_kernel, {1, 2}, y.data(), x.data());
       },
       cudaErrorIllegalAddress, "reads 16 bytes across the end of x (24 bytes"},
      {"half_tail",
       [] {
         DeviceBuffer<float> y(32);
         DeviceBuffer<half_t> x(std::vector<half_t>(32, half_t(1.0f)));
         launch(half_tail_kernel, {1, 32}, y.data(), x.data());
       },
       cudaErrorIllegalAddress, "reads 2 bytes 0 bytes beyond the end of x (64 bytes"},
      {"atomic_bin",
       [] {
         DeviceBuffer<int> bins = zeros<int>(256);
         DeviceBuffer<int> x(std::vector<int>(32, 256));
         launch(atomic_bin_kernel, {1, 32}, bins.data(), x.data());
       },
       cudaErrorIllegalAddress, "changes atomically 4 bytes 0 bytes beyond the end of bins (1024 bytes"},
      {"little_dynamic",
       [] {
         DeviceBuffer<float> y(64);
         launch(little_dynamic_kernel, {1, 64, 32 * sizeof(float)}, y.data());
       },
       cudaErrorIllegalAddress, "of the 128 bytes of dynamic shared memory"},
      {"shared_index",
       [] {
         DeviceBuffer<float> y(32);
         launch(shared_index_kernel, {1, 32}, y.data(), 1);
       },
       cudaErrorIllegalAddress, "uses index 32 of an array of type 'float [32]'"},
      {"shared_pointer",
       [] {
         DeviceBuffer<float> y(32);
         launch(shared_pointer_kernel, {1, 32}, y.data());
       },
       cudaErrorIllegalAddress, "of shared variable"},
      {"tile_column",
       [] {
         DeviceBuffer<float> y(32);
         launch(tile_column_kernel, {1, 32}, y.data(), 33);
       },
       cudaErrorIllegalAddress, "uses index 32 of an array of type 'float [32]'"},
      {"local_index",
       [] {
         DeviceBuffer<int> y(32);
         launch(local_index_kernel, {1, 32}, y.data(), 10);
       },
       cudaErrorIllegalAddress, "uses index 8 of an array of type 'int [8]'"},
      {"constant_index",
       [] {
         DeviceBuffer<float> y(32);
         launch(constant_index_kernel, {1, 32}, y.data());
       },
       cudaErrorIllegalAddress, "of an array of type 'float [4]'"},
      {"variable_index",
       [] {
         launch(variable_index_kernel, {1, 32});
       },
       cudaErrorIllegalAddress, "of an array of type 'int [4]'"},
      {"misaligned_float4",
       [] {
         DeviceBuffer<float> y(8);
         DeviceBuffer<float> x(std::vector<float>(64));
         launch(misaligned_float4_kernel, {1, 8}, y.data(), x.data());
       },
       cudaErrorMisalignedAddress, "which is not a multiple of 16"},
      {"misaligned_int2",
       [] {
         DeviceBuffer<int> y(128);
         launch(misaligned_int2_kernel, {1, 32}, y.data());
       },
       cudaErrorMisalignedAddress, "which is not a multiple of 8"},
      {"misaligned_shared",
       [] {
         DeviceBuffer<double> y(32);
         launch(misaligned_shared_kernel, {1, 32}, y.data());
       },
       cudaErrorMisalignedAddress, "of shared variable values (256 bytes), which is not a multiple of 8"},
      {"read",  // a host pointer
       [] {
         DeviceBuffer<float> y(32);
         const std::vector<float> host(32, 1.0f);
         launch(read_kernel, {1, 32}, y.data(), host.data());
       },
       cudaErrorIllegalAddress, "of host memory: a host pointer was passed"},
      {"write",  // a local variable of the host
       [] {
         float host[32];
         launch(write_kernel, {1, 32}, host);
       },
       cudaErrorIllegalAddress, "writes 4 bytes of host memory"},
      {"read",  // no pointer at all
       [] {
         DeviceBuffer<float> y(32);
         launch(read_kernel, {1, 32}, y.data(), nullptr);
       },
       cudaErrorIllegalAddress, "through a null pointer"},
      {"read",  // freed memory
       [] {
         DeviceBuffer<float> y(32);
         const float* stale = nullptr;
         {
           DeviceBuffer<float> x(std::vector<float>(32));
           stale = x.data();
         }
         DeviceBuffer<float> other(std::vector<float>(32));
         launch(read_kernel, {1, 32}, y.data(), stale);
       },
       cudaErrorIllegalAddress, "of x (128 bytes, allocated at"},
      {"write",  // freed memory
       [] {
         float* y = nullptr;
         cuda_check(cudaMalloc(&y, 128));
         cuda_check(cudaFree(y));
         launch(write_kernel, {1, 32}, y);
       },
       cudaErrorIllegalAddress, "which has been freed"},
      {"read",  // never written
       [] {
         DeviceBuffer<float> y(32);
         DeviceBuffer<float> x(32);
         launch(read_kernel, {1, 32}, y.data(), x.data());
       },
       cudaErrorLaunchFailure, "of x (128 bytes, allocated at"},
      {"read",  // half written by the host
       [] {
         DeviceBuffer<float> y(32);
         DeviceBuffer<float> x(32);
         x.copy_from_host(std::vector<float>(31));
         launch(read_kernel, {1, 32}, y.data(), x.data());
       },
       cudaErrorLaunchFailure, "at byte 124 of x"},
      {"read",  // a copy of what was never written
       [] {
         DeviceBuffer<float> y(32);
         DeviceBuffer<float> x(32);
         DeviceBuffer<float> copy(32);
         cuda_check(cudaMemcpy(copy.data(), x.data(), 128, cudaMemcpyDeviceToDevice));
         launch(read_kernel, {1, 32}, y.data(), copy.data());
       },
       cudaErrorLaunchFailure, "of copy (128 bytes, allocated at"},
      {"others_local",
       [] {
         DeviceBuffer<int> y(64);
         launch(others_local_kernel, {1, 64}, y.data());
       },
       cudaErrorIllegalAddress, "of another thread's local memory"},
      {"uninitialised_shared",
       [] {
         DeviceBuffer<float> y(32);
         launch(uninitialised_shared_kernel, {1, 32}, y.data(), 20);
       },
       cudaErrorLaunchFailure, "of shared variable values (128 bytes), which nobody has written in this thread block"},
      {"uninitialised_sum",
       [] {
         DeviceBuffer<int> y(32);
         launch(uninitialised_sum_kernel, {1, 32}, y.data());
       },
       cudaErrorLaunchFailure, "of shared variable sum (4 bytes), which nobody has written"},
      {"uninitialised_dynamic",
       [] {
         DeviceBuffer<float> y(32);
         launch(uninitialised_dynamic_kernel, {1, 32, 128}, y.data());
       },
       cudaErrorLaunchFailure, "of dynamic shared memory, which nobody has written"},
      {"second_block",
       [] {
         DeviceBuffer<float> y(128);
         launch(second_block_kernel, {4, 32}, y.data());
       },
       cudaErrorLaunchFailure, "of shared variable value (4 bytes), which nobody has written"},
      {"recursion",
       [] {
         DeviceBuffer<int> y = zeros<int>(32);
         launch(recursion_kernel, {1, 32}, y.data());
       },
       cudaErrorLaunchFailure, "overflows the stack"},
  };
}

}  // namespace waitless::simt_test
