#include <stdexcept>

#include "cached_kernels_cuda.h"
#include "common/cuda/declare_flops.h"
#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "common/cuda/shared_memory.h"
#include "common/cuda/warp.cuh"
#include "kv_tile.cuh"

namespace waitless {
namespace {

constexpr int kRows = AttentionPlanView::kSizes.query_tile;  // of a thread block, one warp each
constexpr int kKeys = AttentionPlanView::kSizes.kv_tile;     // in shared memory, a lane each
constexpr int kMaxChunks = 4;                                // of 32 elements of a head

/// One thread block for a tile of up to kRows queries, and one query head. Of each KV tile, lane l of a warp scores key
/// l; later it owns the elements l, l + 32, ... of the output. Rows of shared memory are padded by one, so that 32
/// lanes that read 32 of them meet 32 banks. Launch: grid (plan.many.n, n_heads), thread block kRows warps, shared
/// memory kRows * D + 2 * kKeys * (D + 1) floats.
__global__ void prefill_attention_kernel(DeviceKvView cache, AttentionPlanView plan, int q_heads_per_kv_head,
                                         ConstDeviceMatrix q, ConstDeviceMatrix k, const float* __restrict__ v,
                                         BatchView batch, float* __restrict__ out) {
  // EXERCISE(C2.2): load the queries; for each KV tile: load keys and values; each lane scores its key; new maximum of
  // the warp; weights; rescale sum and output to it; add the values that the row sees. Skip the rows of the batch if k
  // has none. Warps without a row take part in the barriers.
  not_implemented("C2.2");
}

}  // namespace

void prefill_attention_cuda(const Config& config, const DeviceKvView& cache, const AttentionPlanView& plan,
                            ConstDeviceMatrix q, ConstDeviceMatrix k, ConstDeviceMatrix v, const BatchView& batch,
                            DeviceMatrix out, cudaStream_t stream) {
  check_attention_shapes(config, cache, batch, q, k, v, out);
  const int D = config.head_dim;
  if (D > kMaxChunks * kWarp) throw std::invalid_argument("prefill attention: head_dim is above 128");
  if (plan.many.n == 0) return;
  const std::size_t shared_bytes = (kRows * D + 2 * kKeys * (D + 1)) * sizeof(float);
  declare_flops(attention_flops(config, plan.many.n_pairs));
  launch(prefill_attention_kernel, {dim3(plan.many.n, config.n_heads), kRows * kWarp, shared_bytes, stream}, cache,
         plan, config.n_heads / config.n_kv_heads, q, k, v.data, batch, out.data);
}

}  // namespace waitless
