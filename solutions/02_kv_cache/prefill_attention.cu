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
  // SOLUTION_BEGIN(C2.2)
  const int D = cache.head_dim, pitch = D + 1;
  float* queries = dynamic_shared_memory<float>();  // [kRows, D]
  float* keys = queries + kRows * D;                // [kKeys, pitch]
  float* values = keys + kKeys * pitch;             // [kKeys, pitch]
  const AttentionPlan::QueryTile tile = read_tile(plan.many.tiles + blockIdx.x);
  const int head = blockIdx.y, kv_head = head / q_heads_per_kv_head;
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp, n_threads = kRows * kWarp;
  const int t = tile.first_row + warp;
  const bool is_row = warp < tile.n_rows;

  // Load the queries
  for (int i = threadIdx.x; i < tile.n_rows * D; i += n_threads) {
    queries[i] = q.data[std::size_t(tile.first_row + i / D) * q.cols + head * D + i % D];
  }

  float m = -INFINITY, l = 0.0f, o[kMaxChunks] = {};  // of the row: maximum, sum, output
  for (int j = tile.first_kv_tile; j < tile.first_kv_tile + tile.n_kv_tiles; ++j) {
    const AttentionPlan::KvTile kv_tile = read_tile(plan.kv_tiles + j);
    if (!kv_tile.is_cached && k.rows == 0) continue;

    // Load the KV tile, once all warps are done with the one before
    __syncthreads();
    const KvElements elements = elements_of(kv_tile, kv_head, cache, k, v);
    for (int i = threadIdx.x; i < kv_tile.n * D; i += n_threads) {
      keys[i / D * pitch + i % D] = elements.keys[i / D * elements.stride + i % D];
      values[i / D * pitch + i % D] = elements.values[i / D * elements.stride + i % D];
    }
    __syncthreads();

    // Score a key in each lane
    const bool is_visible = is_row && lane < kv_tile.n && sees(batch, t, kv_tile, lane);
    const unsigned visible = __ballot_sync(kAllLanes, is_visible);  // bit i: key i of the tile
    if (visible == 0) continue;
    float score = -INFINITY;
    if (is_visible) {
      score = 0.0f;
      for (int d = 0; d < D; ++d) score += queries[warp * D + d] * keys[lane * pitch + d];
      score /= sqrtf(float(D));
    }

    // Find the new maximum, weigh the key, and rescale sum and output
    const float m_new = fmaxf(m, warp_max(score)), alpha = rescale(m, m_new), weight = rescale(score, m_new);
    m = m_new;
    l = l * alpha + warp_sum(weight);
    for (float& x : o) x *= alpha;

    // Add the values that the row sees: a hidden one may be NaN, and 0 * NaN is NaN
    for (int i = 0; i < kv_tile.n; ++i) {
      if ((visible >> i & 1) == 0) continue;
      const float weight_of_key = __shfl_sync(kAllLanes, weight, i);
      for (int c = 0; c < kMaxChunks && c * kWarp + lane < D; ++c) {
        o[c] += weight_of_key * values[i * pitch + c * kWarp + lane];
      }
    }
  }

  // Write the output
  if (!is_row) return;
  for (int c = 0; c < kMaxChunks && c * kWarp + lane < D; ++c) {
    out[std::size_t(t) * q.cols + head * D + c * kWarp + lane] = o[c] / l;
  }
  // SOLUTION_END(C2.2)
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
