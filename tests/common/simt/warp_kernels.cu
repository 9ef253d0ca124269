#include "tests/common/simt/run_kernel.h"
#include "tests/common/simt/warp_kernels.h"

namespace waitless::simt_test {
namespace {

constexpr unsigned kAllLanes = 0xffffffffu;

__global__ void shuffles_kernel(int* out, int width) {
  const int lane = threadIdx.x, value = 100 + lane;
  out[4 * lane] = __shfl_sync(kAllLanes, value, lane + 5, width);
  out[4 * lane + 1] = __shfl_up_sync(kAllLanes, value, 3, width);
  out[4 * lane + 2] = __shfl_down_sync(kAllLanes, value, 3, width);
  out[4 * lane + 3] = __shfl_xor_sync(kAllLanes, value, 9, width);
}

template <class T>
__device__ bool arrives(T step) {
  const int lane = threadIdx.x;
  const T mine = static_cast<T>(step * static_cast<T>(lane)), other = static_cast<T>(step * static_cast<T>(31 - lane));
  return __shfl_sync(kAllLanes, mine, 31 - lane) == other && __shfl_xor_sync(kAllLanes, mine, 31) == other;
}

__global__ void shuffle_types_kernel(int* out) {
  int* const mine = out + 9 * threadIdx.x;
  mine[0] = arrives<signed char>(-3);
  mine[1] = arrives<short>(-1000);
  mine[2] = arrives<int>(-100000000 / 32);
  mine[3] = arrives<unsigned>(100000007u);
  mine[4] = arrives<long>(-7);
  mine[5] = arrives<long long>(-100000000000000007ll);
  mine[6] = arrives<unsigned long long>(500000000000000007ull);
  mine[7] = arrives<float>(0.1f);
  mine[8] = arrives<double>(0.1);
}

__global__ void butterfly_sums_kernel(int* out) {
  int sum = threadIdx.x % 32;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
  out[threadIdx.x] = sum;
}

__global__ void halves_kernel(int* out) {
  const int lane = threadIdx.x;
  int value = lane;
  if (lane < 16) {
    for (int i = 0; i < 3; ++i) value = __shfl_sync(0x0000ffffu, value, (lane + 1) % 16);
  } else {
    for (int i = 0; i < 5; ++i) value = __shfl_sync(0xffff0000u, value, 16 + (lane + 1) % 16);
  }
  __syncwarp();
  out[lane] = __shfl_sync(kAllLanes, value, lane);
}

__global__ void votes_kernel(unsigned* out) {
  const int t = threadIdx.x;
  const unsigned mask = t < 32 ? kAllLanes : 0xffu;
  out[4 * t] = __ballot_sync(mask, t % 2);
  out[4 * t + 1] = __all_sync(mask, t < 40);
  out[4 * t + 2] = __all_sync(mask, t != 33);
  out[4 * t + 3] = __any_sync(mask, t == 33);
}

__global__ void votes_after_exit_kernel(unsigned* out) {
  const int lane = threadIdx.x;
  if (lane >= 20) return;
  out[2 * lane] = __ballot_sync(0xfffffu, 1);
  out[2 * lane + 1] = __all_sync(0xfffffu, lane < 20);
}

__global__ void matches_kernel(unsigned* out) { out[threadIdx.x] = __match_any_sync(kAllLanes, int(threadIdx.x % 3)); }

__global__ void exchange_kernel(int* out) {
  __shared__ int values[256];
  const int t = threadIdx.x, partner = t ^ 31;
  int value = t;
  for (int round = 0; round < 3; ++round) {
    values[t] = value + 1;
    __syncwarp();
    value = values[partner];
    __syncwarp();
  }
  out[t] = value;
}

__global__ void active_mask_kernel(int* out) { out[threadIdx.x] = __activemask() >> threadIdx.x % 32 & 1; }

}  // namespace

std::vector<int> shuffles(int width) { return run_kernel(shuffles_kernel, {1, 32}, 128, width); }
std::vector<int> shuffle_types() { return run_kernel(shuffle_types_kernel, {1, 32}, 9 * 32); }
std::vector<int> butterfly_sums() { return run_kernel(butterfly_sums_kernel, {1, 96}, 96); }
std::vector<int> halves() { return run_kernel(halves_kernel, {1, 32}, 32); }
std::vector<unsigned> votes_in_a_partial_warp() { return run_kernel(votes_kernel, {1, 40}, 160); }
std::vector<unsigned> votes_after_exit() { return run_kernel(votes_after_exit_kernel, {1, 32}, 40); }
std::vector<unsigned> matches() { return run_kernel(matches_kernel, {1, 32}, 32); }
std::vector<int> exchange_by_syncwarp() { return run_kernel(exchange_kernel, {1, 256}, 256); }
std::vector<int> active_mask_contains_caller() { return run_kernel(active_mask_kernel, {1, 64}, 64); }

}  // namespace waitless::simt_test
