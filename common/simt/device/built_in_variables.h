#pragma once

#include "common/simt/current.h"
#include "common/simt/device/keywords.h"

#define threadIdx (::waitless::simt::thread_index())
#define blockIdx (::waitless::simt::block_index())
#define blockDim (::waitless::simt::block_size())
#define gridDim (::waitless::simt::grid_size())

constexpr int warpSize = 32;

namespace waitless::simt {

#if defined(WAITLESS_SIMT_CHECKED)

// Functions outside of instrumented code. They are const for a CUDA thread: it has no other index later.
[[gnu::const]] uint3 thread_index();
[[gnu::const]] uint3 block_index();
[[gnu::const]] uint3 block_size_xyz();
[[gnu::const]] uint3 grid_size_xyz();
__forceinline__ dim3 block_size() { return block_size_xyz(); }
__forceinline__ dim3 grid_size() { return grid_size_xyz(); }

#else

__forceinline__ const uint3& thread_index() { return current.thread.index; }
__forceinline__ const uint3& block_index() { return current.block_index; }
__forceinline__ dim3 block_size() { return current.block_size; }
__forceinline__ dim3 grid_size() { return current.grid_size; }

#endif

}  // namespace waitless::simt
