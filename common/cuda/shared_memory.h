#pragma once

#include <cuda_runtime.h>

namespace waitless {

/// The dynamic shared memory of the thread block, as many bytes as the launch asked for.
/// CUDA's own form is `extern __shared__ float values[];`, which C++ cannot express.
template <class T>
__device__ T* dynamic_shared_memory() {
#if defined(WAITLESS_SIMT)
  return static_cast<T*>(simt::current.dynamic_shared_memory);
#else
  extern __shared__ __align__(16) unsigned char waitless_dynamic_shared_memory[];
  return reinterpret_cast<T*>(waitless_dynamic_shared_memory);
#endif
}

}  // namespace waitless
