#include "common/cuda/launch.h"
#include "common/cuda/not_implemented.h"
#include "common/cuda/warp.cuh"
#include "pack_visible.h"

namespace waitless {
namespace {

constexpr int kBlock = 128;

/// One warp for each group of 32 elements, one lane for each element.
/// Launch: grid ceil(n / kBlock), thread block kBlock.
__global__ void pack_visible_kernel(const float* __restrict__ x, const int* __restrict__ is_visible,
                                    float* __restrict__ packed, int* __restrict__ n_visible, int n) {
  // EXERCISE(C0.6): let all lanes vote whether their element is visible; the votes below your own lane are the place of
  // yours in the group; lane 0 writes how many there are. Lanes past the end vote too, with 0.
  not_implemented("C0.6");
}

}  // namespace

void pack_visible(const float* x, const int* is_visible, float* packed, int* n_visible, int n, cudaStream_t stream) {
  if (n == 0) return;
  launch(pack_visible_kernel, {ceil_div(n, kBlock), kBlock, 0, stream}, x, is_visible, packed, n_visible, n);
}

}  // namespace waitless
