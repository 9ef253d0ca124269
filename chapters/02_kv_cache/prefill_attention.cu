#include <stdexcept>

#include "cached_operators_cuda.h"
#include "common/cuda/declare_flops.h"
#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "common/cuda/shared_memory.h"
#include "sees_slot.cuh"

namespace waitless {
namespace {

constexpr int kWarp = 32;
constexpr int kRows = 8;       // queries of a thread block, one warp each
constexpr int kMaxChunks = 4;  // of 32 numbers of a head

/// A thread block takes kRows rows of one query head. 32 keys at a time lie in shared memory; lane l of a warp scores
/// key l and later owns the outputs l, l + 32, ... Rows of shared memory are padded by one, so that 32 lanes that read
/// 32 of them meet 32 banks. Launch: grid (ceil(T / kRows), n_heads), thread block kRows warps.
__global__ void prefill_attention_kernel(DeviceKvView cache, int queries_per_kv_head, ConstDeviceMatrix q,
                                         const float* __restrict__ k, const float* __restrict__ v, BatchView batch,
                                         float* __restrict__ out) {
  // EXERCISE(C2.2): for each 32 keys: load keys and values; each lane scores its key; new maximum of the warp; weights;
  // carry sum and outputs over to it; add the values. Rows past the end take part in the barriers.
  not_implemented("C2.2", cache, queries_per_kv_head, q, k, v, batch, out);
}

}  // namespace

void prefill_attention_cuda(const Config& config, const DeviceKvView& cache, ConstDeviceMatrix q, ConstDeviceMatrix k,
                            ConstDeviceMatrix v, const BatchView& batch, DeviceMatrix out, cudaStream_t stream) {
  check_device_shape("prefill attention: q", q, batch.n_rows, config.q_dim());
  check_device_shape("prefill attention: k", k, batch.n_rows, config.kv_dim());
  check_device_shape("prefill attention: v", v, batch.n_rows, config.kv_dim());
  check_device_shape("prefill attention: out", out, batch.n_rows, config.q_dim());
  if (config.head_dim > kMaxChunks * kWarp) throw std::invalid_argument("prefill attention: head_dim is above 128");
  const int D = config.head_dim;
  const std::size_t shared_bytes = (kRows * D + 2 * kWarp * (D + 1)) * sizeof(float);
  declare_flops(attention_flops(config, cache, batch.n_rows));
  launch(prefill_attention_kernel,
         {dim3(ceil_div(batch.n_rows, kRows), config.n_heads), kRows * kWarp, shared_bytes, stream}, cache,
         config.n_heads / config.n_kv_heads, q, k.data, v.data, batch, out.data);
}

}  // namespace waitless
