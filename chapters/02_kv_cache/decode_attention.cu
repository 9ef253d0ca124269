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
  not_implemented("C2.3");
}

/// One warp for a row and a query head: brings its partial outputs to one maximum and adds them up.
/// Launch: grid (plan.few.n, n_heads), thread block kWarp.
__global__ void merge_partials_kernel(AttentionPlanView plan, const float* __restrict__ partials, int head_dim,
                                      float* __restrict__ out) {
  // EXERCISE(C2.3): maximum over the partial outputs of the row; then sum and output, each rescaled to it; divide at
  // the end.
  not_implemented("C2.3");
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
