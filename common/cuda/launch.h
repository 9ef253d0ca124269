#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

#include "common/cuda/cuda_check.h"

#if defined(WAITLESS_SIMT)
#include "common/simt/grid.h"
#elif !defined(__CUDACC__)
#error "common/cuda/launch.h is for .cu files, which nvcc compiles"
#endif

namespace waitless {

/// How to launch a kernel. The grid counts thread blocks, the thread block counts threads.
struct LaunchConfig {
  dim3 grid, block;
  std::size_t shared_bytes;  // dynamic shared memory of each thread block
  cudaStream_t stream;
  const char* file;  // of the launch, for messages
  int line;

  LaunchConfig(dim3 grid_size, dim3 block_size, std::size_t dynamic_shared_bytes = 0, cudaStream_t in_stream = nullptr,
               const char* at_file = __builtin_FILE(), int at_line = __builtin_LINE())
      : grid(grid_size),
        block(block_size),
        shared_bytes(dynamic_shared_bytes),
        stream(in_stream),
        file(at_file),
        line(at_line) {}
};

/// Launches a kernel: launch(scale_kernel<float>, {n_blocks, 256}, x, n) is CUDA's
/// scale_kernel<float><<<n_blocks, 256>>>(x, n) followed by a check of the launch. On a GPU the kernel may still run
/// when launch() returns, and what goes wrong in it shows at the next call that waits; on simt it has finished.
/// @throws CudaError if CUDA refuses the configuration or, on simt, if the kernel was stopped
template <class... Parameters>
void launch(void (*kernel)(Parameters...), const LaunchConfig& config, std::type_identity_t<Parameters>... arguments) {
#if defined(WAITLESS_SIMT)
  simt::launch_kernel(kernel, {config.grid, config.block, config.shared_bytes, config.stream}, arguments...);
#else
  kernel<<<config.grid, config.block, config.shared_bytes, config.stream>>>(arguments...);
#endif
  cuda_check(cudaGetLastError(), config.file, config.line);
}

/// The number of groups of `group` that n items need: the grid size for n threads.
constexpr unsigned ceil_div(std::size_t n, std::size_t group) { return static_cast<unsigned>((n + group - 1) / group); }

}  // namespace waitless
