#include "tests/common/simt/classic_kernels.h"
#include "tests/common/simt/run_kernel.h"

namespace waitless::simt_test {
namespace {

constexpr int kBlock = 128;
constexpr int kWarp = 32;
constexpr int kTile = 16;
constexpr unsigned kAllLanes = 0xffffffffu;

/// The sum over the thread block, for thread 0.
__device__ float block_sum(float value) {
  __shared__ float sums[kBlock];
  const int t = threadIdx.x;
  sums[t] = value;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
  return sums[0];
}

__device__ float warp_sum(float value) {
  for (int step = kWarp / 2; step > 0; step /= 2) value += __shfl_xor_sync(kAllLanes, value, step);
  return value;
}

__global__ void reduce_sum_kernel(float* sum, const float* x, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  const float partial = block_sum(i < n ? x[i] : 0.0f);
  if (threadIdx.x == 0) atomicAdd(sum, partial);
}

/// Hillis and Steele: log2(kBlock) rounds, two buffers in turn.
__global__ void scan_block_kernel(int* out, const int* x, int* block_sums, int n) {
  __shared__ int values[2][kBlock];
  const int t = threadIdx.x, i = blockIdx.x * kBlock + t;
  int now = 0;
  values[now][t] = i < n ? x[i] : 0;
  for (int distance = 1; distance < kBlock; distance *= 2) {
    __syncthreads();
    values[1 - now][t] = values[now][t] + (t >= distance ? values[now][t - distance] : 0);
    now = 1 - now;
  }
  if (i < n) out[i] = values[now][t];
  if (t == kBlock - 1 && block_sums != nullptr) block_sums[blockIdx.x] = values[now][t];
}

__global__ void add_previous_sum_kernel(int* out, const int* scanned_sums, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n && blockIdx.x > 0) out[i] += scanned_sums[blockIdx.x - 1];
}

__global__ void histogram_kernel(int* counts, const unsigned char* bytes, int n) {
  __shared__ int local[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[bytes[i]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&counts[bin], local[bin]);
}

/// Thread block (32, 8): each thread moves four elements of a tile. The 33rd column keeps columns in different banks.
__global__ void transpose_kernel(float* out, const float* x, int n_rows, int n_cols) {
  __shared__ float tile[32][33];
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    if (row + j < n_rows && col < n_cols) tile[threadIdx.y + j][threadIdx.x] = x[(row + j) * n_cols + col];
  }
  __syncthreads();
  col = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    if (row + j < n_cols && col < n_rows) out[(row + j) * n_rows + col] = tile[threadIdx.x][threadIdx.y + j];
  }
}

__global__ void multiply_kernel(float* c, const float* a, const float* b, int m, int k, int n) {
  __shared__ float a_tile[kTile][kTile], b_tile[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty, col = blockIdx.x * kTile + tx;
  float sum = 0.0f;
  for (int first = 0; first < k; first += kTile) {
    a_tile[ty][tx] = row < m && first + tx < k ? a[row * k + first + tx] : 0.0f;
    b_tile[ty][tx] = first + ty < k && col < n ? b[(first + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += a_tile[ty][i] * b_tile[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

__global__ void last_block_sum_kernel(float* sum, const float* x, float* partial_sums, unsigned* n_done, int n) {
  __shared__ bool is_last;
  const int i = blockIdx.x * kBlock + threadIdx.x;
  const float partial = block_sum(i < n ? x[i] : 0.0f);
  if (threadIdx.x == 0) {
    partial_sums[blockIdx.x] = partial;
    __threadfence();
    is_last = atomicAdd(n_done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  float mine = 0.0f;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += kBlock) {
    mine += static_cast<volatile float*>(partial_sums)[block];
  }
  const float total = block_sum(mine);
  if (threadIdx.x == 0) *sum = total;
}

__global__ void keep_even_kernel(int* out, const int* x, int* n_kept, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % kWarp;
  const bool is_kept = i < n && x[i] % 2 == 0;
  const unsigned kept = __ballot_sync(kAllLanes, is_kept);
  int first = 0;
  if (lane == 0 && kept != 0) first = atomicAdd(n_kept, __popc(kept));
  first = __shfl_sync(kAllLanes, first, 0);
  if (is_kept) out[first + __popc(kept & ((1u << lane) - 1))] = x[i];
}

__global__ void layer_norm_kernel(float* out, const float* x, const float* gain, const float* bias, int n_cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  const float* const in = x + static_cast<std::size_t>(row) * n_cols;
  float sum = 0.0f;
  for (int c = lane; c < n_cols; c += kWarp) sum += in[c];
  const float mean = warp_sum(sum) / n_cols;
  float squares = 0.0f;
  for (int c = lane; c < n_cols; c += kWarp) squares += (in[c] - mean) * (in[c] - mean);
  const float scale = rsqrtf(warp_sum(squares) / n_cols + 1e-5f);
  for (int c = lane; c < n_cols; c += kWarp) {
    out[static_cast<std::size_t>(row) * n_cols + c] = (in[c] - mean) * scale * gain[c] + bias[c];
  }
}

}  // namespace

float reduce_sum(const std::vector<float>& x) {
  const DeviceBuffer<float> device_x(x);
  const int n = static_cast<int>(x.size());
  return run_kernel(reduce_sum_kernel, {ceil_div(n, kBlock), kBlock}, 1, device_x.data(), n)[0];
}

std::vector<int> inclusive_scan(const std::vector<int>& x) {
  const int n = static_cast<int>(x.size());
  const unsigned n_blocks = ceil_div(n, kBlock);
  const DeviceBuffer<int> device_x(x);
  DeviceBuffer<int> out(n), block_sums(n_blocks), scanned_sums(n_blocks);
  launch(scan_block_kernel, {n_blocks, kBlock}, out.data(), device_x.data(), block_sums.data(), n);
  // One thread block scans the sums, so there may be as many as it has threads.
  launch(scan_block_kernel, {1, kBlock}, scanned_sums.data(), block_sums.data(), nullptr, n_blocks);
  launch(add_previous_sum_kernel, {n_blocks, kBlock}, out.data(), scanned_sums.data(), n);
  return out.to_host();
}

std::vector<int> histogram(const std::vector<unsigned char>& bytes) {
  const DeviceBuffer<unsigned char> device_bytes(bytes);
  return run_kernel(histogram_kernel, {6, 96}, 256, device_bytes.data(), static_cast<int>(bytes.size()));
}

std::vector<float> transpose(const std::vector<float>& x, int n_rows, int n_cols) {
  const DeviceBuffer<float> device_x(x);
  return run_kernel(transpose_kernel, {dim3(ceil_div(n_cols, 32), ceil_div(n_rows, 32)), dim3(32, 8)}, x.size(),
                    device_x.data(), n_rows, n_cols);
}

std::vector<float> multiply(const std::vector<float>& a, const std::vector<float>& b, int m, int k, int n) {
  const DeviceBuffer<float> device_a(a), device_b(b);
  return run_kernel(multiply_kernel, {dim3(ceil_div(n, kTile), ceil_div(m, kTile)), dim3(kTile, kTile)},
                    static_cast<std::size_t>(m) * n, device_a.data(), device_b.data(), m, k, n);
}

float last_block_sum(const std::vector<float>& x) {
  const int n = static_cast<int>(x.size());
  const unsigned n_blocks = ceil_div(n, kBlock);
  const DeviceBuffer<float> device_x(x);
  DeviceBuffer<float> partial_sums(n_blocks);
  DeviceBuffer<unsigned> n_done(std::vector<unsigned>{0});
  return run_kernel(last_block_sum_kernel, {n_blocks, kBlock}, 1, device_x.data(), partial_sums.data(), n_done.data(),
                    n)[0];
}

std::vector<int> keep_even(const std::vector<int>& x) {
  const int n = static_cast<int>(x.size());
  const DeviceBuffer<int> device_x(x);
  DeviceBuffer<int> n_kept(std::vector<int>{0});
  std::vector<int> out =
      run_kernel(keep_even_kernel, {ceil_div(n, kBlock), kBlock}, n, device_x.data(), n_kept.data(), n);
  out.resize(n_kept.to_host()[0]);
  return out;
}

std::vector<float> layer_norm(const std::vector<float>& x, const std::vector<float>& gain,
                              const std::vector<float>& bias, int n_rows) {
  const DeviceBuffer<float> device_x(x), device_gain(gain), device_bias(bias);
  return run_kernel(layer_norm_kernel, {static_cast<unsigned>(n_rows), dim3(kWarp, 1)}, x.size(), device_x.data(),
                    device_gain.data(), device_bias.data(), static_cast<int>(gain.size()));
}

}  // namespace waitless::simt_test
