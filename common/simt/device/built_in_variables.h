#pragma once

#include "common/simt/current.h"

#define threadIdx (::waitless::simt::thread_index())
#define blockIdx (::waitless::simt::block_index())
#define blockDim (::waitless::simt::block_size())
#define gridDim (::waitless::simt::grid_size())

constexpr int warpSize = 32;

namespace waitless::simt {

__forceinline__ const uint3& thread_index() { return current.thread.index; }
__forceinline__ const uint3& block_index() { return current.block_index; }
__forceinline__ dim3 block_size() { return current.block_size; }
__forceinline__ dim3 grid_size() { return current.grid_size; }

}  // namespace waitless::simt
