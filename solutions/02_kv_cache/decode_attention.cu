#include <algorithm>
#include <stdexcept>

#include "cached_kernels_cuda.h"
#include "common/cuda/declare_flops.h"
#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "common/cuda/warp.cuh"
#include "kv_tile.cuh"

namespace waitless {
namespace {

constexpr int kWarps = 4;          // of a thread block; each makes a partial output
constexpr int kTilesPerSplit = 8;  // KV tiles of a row for which it gets one more thread block
constexpr int kMaxSplits = 16;     // thread blocks of a row
constexpr int kMaxPartials = kMaxSplits * kWarps;
// Arrays in registers: the compiler must know how often a loop over them runs at most.
constexpr int kMaxHeads = 8;   // query heads that share a head of keys and values
constexpr int kMaxChunks = 4;  // of 32 elements of a head

inline __host__ __device__ int n_splits_of(int n_kv_tiles) {
  const int n_splits = (n_kv_tiles + kTilesPerSplit - 1) / kTilesPerSplit;
  return n_splits < kMaxSplits ? n_splits : kMaxSplits;
}

/// Where in `partials` a partial output begins: D elements of the output, the maximum, the sum.
inline __device__ std::size_t start_of_partial(int row, int n_heads, int head, int part, int head_dim) {
  return ((std::size_t(row) * n_heads + head) * kMaxPartials + part) * (head_dim + 2);
}

/// One warp for a row, a key/value head and every n-th KV tile of the row, where n = kWarps * its splits. Lane l holds
/// the elements l, l + 32, ... of the queries and outputs of all query heads that share the keys: so a key is read
/// once, by neighbouring lanes from neighbouring addresses. Launch: grid (plan.few.n, n_kv_heads, splits of the longest
/// row), thread block kWarps warps.
/// @param partials [plan.few.n, n_heads, kMaxPartials, D + 2]
__global__ void decode_attention_kernel(DeviceKvView cache, AttentionPlanView plan, int q_heads_per_kv_head,
                                        ConstDeviceMatrix q, ConstDeviceMatrix k, const float* __restrict__ v,
                                        BatchView batch, float* __restrict__ partials) {
  // EXERCISE(C2.3): load your elements of the queries that share this head of keys. For each of your KV tiles: lane l
  // asks whether the row sees key l, and a ballot tells all lanes. For each key that it sees: products of your
  // elements, summed over the warp; new maximum; rescale sum and output; add the value. Write your partial output, even
  // if you saw nothing. Skip the rows of the batch if k has none.
  // SOLUTION_BEGIN(C2.3)
  const AttentionPlan::QueryTile tile = read_tile(plan.few.tiles + blockIdx.x);
  const int D = cache.head_dim, t = tile.first_row, kv_head = blockIdx.y, first_head = kv_head * q_heads_per_kv_head;
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const int part = blockIdx.z * kWarps + warp, n_parts = n_splits_of(tile.n_kv_tiles) * kWarps;
  if (part >= n_parts) return;  // only longer rows are split so often

  // Load the queries
  float query[kMaxHeads][kMaxChunks] = {}, o[kMaxHeads][kMaxChunks] = {}, m[kMaxHeads], l[kMaxHeads] = {};
  for (int g = 0; g < kMaxHeads && g < q_heads_per_kv_head; ++g) {
    const std::size_t start = std::size_t(t) * q.cols + (first_head + g) * D;
    for (int c = 0; c < kMaxChunks && c * kWarp + lane < D; ++c) {
      query[g][c] = q.data[start + c * kWarp + lane] / sqrtf(float(D));
    }
    m[g] = -INFINITY;
  }

  for (int j = part; j < tile.n_kv_tiles; j += n_parts) {
    const AttentionPlan::KvTile kv_tile = read_tile(plan.kv_tiles + tile.first_kv_tile + j);
    if (!kv_tile.is_cached && k.rows == 0) continue;

    // Ask about a key in each lane
    const bool is_visible = lane < kv_tile.n && sees(batch, t, kv_tile, lane);
    const unsigned visible = __ballot_sync(kAllLanes, is_visible);  // bit i: key i of the tile

    const KvElements elements = elements_of(kv_tile, kv_head, cache, k, v);
    for (int i = 0; i < kv_tile.n; ++i) {
      if ((visible >> i & 1) == 0) continue;

      // Load key and value
      float key[kMaxChunks] = {}, value[kMaxChunks] = {};
      for (int c = 0; c < kMaxChunks && c * kWarp + lane < D; ++c) {
        key[c] = elements.keys[i * elements.stride + c * kWarp + lane];
        value[c] = elements.values[i * elements.stride + c * kWarp + lane];
      }

      // Score the key with each query, rescale, and add the value
      for (int g = 0; g < kMaxHeads && g < q_heads_per_kv_head; ++g) {
        float score = 0.0f;
        for (int c = 0; c < kMaxChunks; ++c) score += query[g][c] * key[c];
        score = warp_sum(score);
        const float m_new = fmaxf(m[g], score), alpha = rescale(m[g], m_new), weight = rescale(score, m_new);
        m[g] = m_new;
        l[g] = l[g] * alpha + weight;
        for (int c = 0; c < kMaxChunks; ++c) o[g][c] = o[g][c] * alpha + weight * value[c];
      }
    }
  }

  // Write the partial outputs
  for (int g = 0; g < kMaxHeads && g < q_heads_per_kv_head; ++g) {
    const int n_heads = gridDim.y * q_heads_per_kv_head;
    float* partial = partials + start_of_partial(blockIdx.x, n_heads, first_head + g, part, D);
    for (int c = 0; c < kMaxChunks && c * kWarp + lane < D; ++c) partial[c * kWarp + lane] = o[g][c];
    if (lane == 0) {
      partial[D] = m[g];
      partial[D + 1] = l[g];
    }
  }
  // SOLUTION_END(C2.3)
}

/// One warp for a row and a query head: brings its partial outputs to one maximum and adds them up.
/// Launch: grid (plan.few.n, n_heads), thread block kWarp.
__global__ void merge_partials_kernel(AttentionPlanView plan, const float* __restrict__ partials, int head_dim,
                                      float* __restrict__ out) {
  // EXERCISE(C2.3): maximum over the partial outputs of the row; then sum and output, each rescaled to it; divide at
  // the end.
  // SOLUTION_BEGIN(C2.3)
  const AttentionPlan::QueryTile tile = read_tile(plan.few.tiles + blockIdx.x);
  const int D = head_dim, head = blockIdx.y, n_heads = gridDim.y, lane = threadIdx.x;
  const int n_parts = n_splits_of(tile.n_kv_tiles) * kWarps;
  const float* row = partials + start_of_partial(blockIdx.x, n_heads, head, 0, D);

  // Find the largest maximum, a lane for every 32nd partial output
  float m = -INFINITY;
  for (int p = lane; p < n_parts; p += kWarp) m = fmaxf(m, row[p * (D + 2) + D]);
  m = warp_max(m);

  // Add up, a lane for every 32nd element
  float l = 0.0f, o[kMaxChunks] = {};
  for (int p = 0; p < n_parts; ++p) {
    const float* partial = row + p * (D + 2);
    const float alpha = rescale(partial[D], m);
    l += alpha * partial[D + 1];
    for (int c = 0; c < kMaxChunks && c * kWarp + lane < D; ++c) o[c] += alpha * partial[c * kWarp + lane];
  }
  const std::size_t start = (std::size_t(tile.first_row) * n_heads + head) * D;
  for (int c = 0; c < kMaxChunks && c * kWarp + lane < D; ++c) out[start + c * kWarp + lane] = o[c] / l;
  // SOLUTION_END(C2.3)
}

}  // namespace

void decode_attention_cuda(const Config& config, const DeviceKvView& cache, const AttentionPlanView& plan,
                           ConstDeviceMatrix q, ConstDeviceMatrix k, ConstDeviceMatrix v, const BatchView& batch,
                           DeviceAttentionScratch& scratch, DeviceMatrix out, cudaStream_t stream) {
  check_attention_shapes(config, cache, batch, q, k, v, out);
  const int D = config.head_dim, q_heads_per_kv_head = config.n_heads / config.n_kv_heads;
  if (D > kMaxChunks * kWarp) throw std::invalid_argument("decode attention: head_dim is above 128");
  if (q_heads_per_kv_head > kMaxHeads) {
    throw std::invalid_argument("decode attention: more than 8 query heads share a head of keys");
  }
  if (plan.few.n == 0) return;

  const std::size_t needed = std::size_t(plan.few.n) * config.n_heads * kMaxPartials * (D + 2);
  if (needed > scratch.partials.size()) {
    scratch.partials = DeviceBuffer<float>(std::max(needed, 2 * scratch.partials.size()));
  }
  const int n_splits = n_splits_of(plan.few.most_kv_tiles);
  declare_flops(attention_flops(config, plan.few.n_pairs));
  launch(decode_attention_kernel, {dim3(plan.few.n, config.n_kv_heads, n_splits), kWarps * kWarp, 0, stream}, cache,
         plan, q_heads_per_kv_head, q, k, v.data, batch, scratch.partials.data());
  declare_flops(2.0 * plan.few.n * config.n_heads * n_splits * kWarps * (D + 1));  // at most: rescale and add
  launch(merge_partials_kernel, {dim3(plan.few.n, config.n_heads), kWarp, 0, stream}, plan, scratch.partials.data(), D,
         out.data);
}

}  // namespace waitless
