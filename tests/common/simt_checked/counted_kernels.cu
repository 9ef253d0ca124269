#include "common/cuda/half.h"
#include "common/cuda/launch.h"
#include "common/simt/counters.h"
#include "tests/common/simt_checked/counted_kernels.h"

namespace waitless::simt_test {
namespace {

constexpr int kBlock = 256;

__device__ int global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void copy_kernel(float* y, const float* x, int n) {
  if (const int i = global_index(); i < n) y[i] = x[i];
}
__global__ void copy_shifted_kernel(float* y, const float* x, int n, int shift) {
  if (const int i = global_index(); i < n) y[i] = x[i + shift];
}
__global__ void copy_strided_kernel(float* y, const float* x, int n, int stride) {
  if (const int i = global_index(); i < n) y[i] = x[i * stride];
}
__global__ void copy_vectors_kernel(float4* y, const float4* x, int n) {
  if (const int i = global_index(); i < n) y[i] = x[i];
}
__global__ void copy_pairs_kernel(float2* y, const float2* x, int n) {
  if (const int i = global_index(); i < n) y[i] = x[i];
}
__global__ void copy_bytes_kernel(unsigned char* y, const unsigned char* x, int n) {
  if (const int i = global_index(); i < n) y[i] = x[i];
}
__global__ void copy_doubles_kernel(double* y, const double* x, int n) {
  if (const int i = global_index(); i < n) y[i] = x[i];
}
__global__ void copy_by_one_thread_kernel(float* y, const float* x, int n) {
  if (global_index() != 0) return;
  for (int i = 0; i < n; ++i) y[i] = x[i];
}
__global__ void broadcast_kernel(float* y, const float* x, int n) {
  if (const int i = global_index(); i < n) y[i] = x[0];
}
__global__ void gather_kernel(float* y, const float* x, const int* index, int n) {
  if (const int i = global_index(); i < n) y[i] = x[index[i]];
}
__global__ void sum_atomically_kernel(int* sum, const int* x, int n) {
  if (const int i = global_index(); i < n) atomicAdd(sum, x[i]);
}

/// Launch: grid n_rows, thread block 64.
__global__ void rms_norm_rows_kernel(float* y, const float* x, const float* gain, int n_cols) {
  __shared__ float sums[64];
  const float* const row = x + blockIdx.x * n_cols;
  float sum = 0.0f;
  for (int col = threadIdx.x; col < n_cols; col += 64) sum += row[col] * row[col];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  const float scale = rsqrtf(sums[0] / n_cols + 1e-5f);
  for (int col = threadIdx.x; col < n_cols; col += 64) y[blockIdx.x * n_cols + col] = row[col] * scale * gain[col];
}

/// Launch: grid (n / 32, n / 32), thread block (32, 8).
template <int kPitch>
__global__ void transpose_kernel(float* y, const float* x, int n) {
  __shared__ float tile[32][kPitch];
  for (int j = threadIdx.y; j < 32; j += 8) {
    tile[j][threadIdx.x] = x[(blockIdx.y * 32 + j) * n + blockIdx.x * 32 + threadIdx.x];
  }
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) {
    y[(blockIdx.x * 32 + j) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][j];
  }
}

/// Launch: grid (n / 16, n / 16), thread block (16, 16).
__global__ void tiled_multiply_kernel(float* c, const float* a, const float* b, int n) {
  __shared__ float a_tile[16][16], b_tile[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0.0f;
  for (int first = 0; first < n; first += 16) {
    a_tile[ty][tx] = a[row * n + first + tx];
    b_tile[ty][tx] = b[(first + ty) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += a_tile[ty][i] * b_tile[i][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

__global__ void naive_multiply_kernel(float* c, const float* a, const float* b, int n) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * n + col];
  c[row * n + col] = sum;
}

/// Each lane writes and reads its own word.
__global__ void shared_strided_kernel(float* y, int stride) {
  __shared__ float values[32 * 33];
  values[threadIdx.x * stride] = threadIdx.x;
  y[threadIdx.x] = values[threadIdx.x * stride];
}

__global__ void shared_vectors_kernel(float4* y) {
  __shared__ float4 values[32];
  values[threadIdx.x] = make_float4(1, 2, 3, 4);
  y[threadIdx.x] = values[threadIdx.x];
}

__global__ void shared_doubles_kernel(double* y) {
  __shared__ double values[32];
  values[threadIdx.x] = 1.0;
  y[threadIdx.x] = values[threadIdx.x];
}

__global__ void block_sums_kernel(float* sums, const float* x, int n) {
  __shared__ float values[kBlock];
  const int t = threadIdx.x, i = global_index();
  values[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (t < half) values[t] += values[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = values[0];
}

__global__ void warp_sums_kernel(float* sums, const float* x, int n) {
  const int i = global_index();
  float sum = i < n ? x[i] : 0.0f;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) sums[i / 32] = sum;
}

__global__ void half_idle_kernel(float* y, const float* x, int n) {
  if (const int i = global_index(); i < n && i % 2 == 0) y[i] = x[i];
}

__global__ void read_halves_kernel(float* y, const half_t* x, int n) {
  if (const int i = global_index(); i < n) y[i] = x[i];
}

__device__ __attribute__((noinline)) void double_in_place(float* x) { x[threadIdx.x] *= 2; }
__global__ void call_twice_kernel(float* y, float* x) {
  double_in_place(y);
  double_in_place(x);
}

}  // namespace

void copy(float* y, const float* x, int n) { launch(copy_kernel, {ceil_div(n, kBlock), kBlock}, y, x, n); }
void copy_shifted(float* y, const float* x, int n, int shift) {
  launch(copy_shifted_kernel, {ceil_div(n, kBlock), kBlock}, y, x, n, shift);
}
void copy_strided(float* y, const float* x, int n, int stride) {
  launch(copy_strided_kernel, {ceil_div(n, kBlock), kBlock}, y, x, n, stride);
}
void copy_vectors(float* y, const float* x, int n) {
  launch(copy_vectors_kernel, {ceil_div(n / 4, kBlock), kBlock}, reinterpret_cast<float4*>(y),
         reinterpret_cast<const float4*>(x), n / 4);
}
void copy_pairs(float* y, const float* x, int n) {
  launch(copy_pairs_kernel, {ceil_div(n / 2, kBlock), kBlock}, reinterpret_cast<float2*>(y),
         reinterpret_cast<const float2*>(x), n / 2);
}
void copy_bytes(unsigned char* y, const unsigned char* x, int n) {
  launch(copy_bytes_kernel, {ceil_div(n, kBlock), kBlock}, y, x, n);
}
void copy_doubles(double* y, const double* x, int n) {
  launch(copy_doubles_kernel, {ceil_div(n, kBlock), kBlock}, y, x, n);
}
void copy_by_one_thread(float* y, const float* x, int n) {
  launch(copy_by_one_thread_kernel, {ceil_div(n, kBlock), kBlock}, y, x, n);
}
void broadcast(float* y, const float* x, int n) { launch(broadcast_kernel, {ceil_div(n, kBlock), kBlock}, y, x, n); }
void gather(float* y, const float* x, const int* index, int n) {
  launch(gather_kernel, {ceil_div(n, kBlock), kBlock}, y, x, index, n);
}
void sum_atomically(int* sum, const int* x, int n) {
  launch(sum_atomically_kernel, {ceil_div(n, kBlock), kBlock}, sum, x, n);
}
void rms_norm_rows(float* y, const float* x, const float* gain, int n_rows, int n_cols) {
  simt::declare_flops(4.0 * n_rows * n_cols);
  launch(rms_norm_rows_kernel, {static_cast<unsigned>(n_rows), 64}, y, x, gain, n_cols);
}
void transpose(float* y, const float* x, int n, bool is_padded) {
  const unsigned n_tiles = n / 32;
  launch(is_padded ? transpose_kernel<33> : transpose_kernel<32>, {dim3(n_tiles, n_tiles), dim3(32, 8)}, y, x, n);
}
void tiled_multiply(float* c, const float* a, const float* b, int n) {
  const unsigned n_tiles = n / 16;
  launch(tiled_multiply_kernel, {dim3(n_tiles, n_tiles), dim3(16, 16)}, c, a, b, n);
}
void naive_multiply(float* c, const float* a, const float* b, int n) {
  const unsigned n_tiles = n / 16;
  launch(naive_multiply_kernel, {dim3(n_tiles, n_tiles), dim3(16, 16)}, c, a, b, n);
}
void shared_strided(float* y, int stride) { launch(shared_strided_kernel, {1, 32}, y, stride); }
void shared_vectors(float* y) { launch(shared_vectors_kernel, {1, 32}, reinterpret_cast<float4*>(y)); }
void shared_doubles(double* y) { launch(shared_doubles_kernel, {1, 32}, y); }
void block_sums(float* sums, const float* x, int n) {
  launch(block_sums_kernel, {ceil_div(n, kBlock), kBlock}, sums, x, n);
}
void warp_sums(float* sums, const float* x, int n) {
  launch(warp_sums_kernel, {ceil_div(n, kBlock), kBlock}, sums, x, n);
}
void half_idle(float* y, const float* x, int n) { launch(half_idle_kernel, {ceil_div(n, kBlock), kBlock}, y, x, n); }
void read_halves(float* y, const void* x, int n) {
  launch(read_halves_kernel, {ceil_div(n, kBlock), kBlock}, y, static_cast<const half_t*>(x), n);
}
void call_twice(float* y, float* x) { launch(call_twice_kernel, {1, 32}, y, x); }

}  // namespace waitless::simt_test
