#pragma once

/// What CUDA has and simt has not. Using one of these names is a compile error that says what to use instead.

#define WAITLESS_SIMT_UNSUPPORTED(name, instead)                                   \
  template <class... Arguments>                                                    \
  int name(Arguments&&...) {                                                       \
    static_assert(sizeof...(Arguments) > 1000, "simt has no " #name ": " instead); \
    return 0;                                                                      \
  }

WAITLESS_SIMT_UNSUPPORTED(cudaMallocManaged, "use cudaMalloc and cudaMemcpy (DeviceBuffer does both)")
WAITLESS_SIMT_UNSUPPORTED(cudaLaunchKernel, "use launch() of common/cuda/launch.h")
WAITLESS_SIMT_UNSUPPORTED(cudaLaunchKernelEx, "use launch() of common/cuda/launch.h")
WAITLESS_SIMT_UNSUPPORTED(cudaLaunchCooperativeKernel, "a grid has no barrier; end the kernel and launch the next one")
WAITLESS_SIMT_UNSUPPORTED(cudaStreamBeginCapture, "launch the kernels one by one; graphs are a matter of speed")
WAITLESS_SIMT_UNSUPPORTED(cudaGraphLaunch, "launch the kernels one by one; graphs are a matter of speed")
WAITLESS_SIMT_UNSUPPORTED(cudaCreateTextureObject, "read global memory, through __ldg if it is read-only")
WAITLESS_SIMT_UNSUPPORTED(clock64, "simt does not time kernels; count bytes and operations")
WAITLESS_SIMT_UNSUPPORTED(__nanosleep, "thread blocks must not wait for each other; end the kernel instead")
WAITLESS_SIMT_UNSUPPORTED(__reduce_add_sync, "use __shfl_xor_sync, which compute capability 7.5 has too")
WAITLESS_SIMT_UNSUPPORTED(__reduce_max_sync, "use __shfl_xor_sync, which compute capability 7.5 has too")
WAITLESS_SIMT_UNSUPPORTED(__reduce_min_sync, "use __shfl_xor_sync, which compute capability 7.5 has too")
WAITLESS_SIMT_UNSUPPORTED(__match_all_sync, "use __match_any_sync and compare its result with the mask")
WAITLESS_SIMT_UNSUPPORTED(__pipeline_memcpy_async, "load to a register, store to shared memory, __syncthreads()")

#undef WAITLESS_SIMT_UNSUPPORTED

#if defined(WAITLESS_SIMT_DEVICE_CODE)
/// In .cu files: C++ headers that come later spell it __asm__.
#define asm static_assert(false, "simt runs no PTX: write the operation in C++, or call the CUDA function for it")
#endif
