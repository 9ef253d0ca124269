#pragma once

#include "common/simt/thread_local.h"

/// CUDA's keywords. Functions of either side are plain functions here, and variables in device or constant memory
/// are plain global variables.

#define __global__
#define __device__
#define __host__
#define __constant__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ inline __attribute__((always_inline))

/// Shared memory: one copy per OS thread, which runs one thread block at a time. As in CUDA its types need no
/// constructor; clang refuses those that do by itself.
#if defined(__clang__)
#define __shared__ static WAITLESS_SIMT_THREAD_LOCAL
#else
#define __shared__ static constinit WAITLESS_SIMT_THREAD_LOCAL
#endif
