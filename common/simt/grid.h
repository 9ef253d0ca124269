#pragma once

#include <cstddef>
#include <type_traits>

#include "common/simt/kernel_arguments.h"

#if defined(WAITLESS_SIMT_CHECKED)
#include "common/simt/checked/fiber.h"
#endif

namespace waitless::simt {

struct GridShape {
  dim3 grid_size, block_size;
  std::size_t shared_bytes;
  const void* stream = nullptr;
};

/// Runs a grid to its end, the thread blocks spread over the workers.
/// @return cudaSuccess, CUDA's error for a configuration that no GPU can run, or that of the first finding
/// @throws what the kernel threw (NotImplemented by an exercise that is not written yet)
cudaError_t run_grid(const GridShape& shape, const KernelCall& call);

/// What kernel<<<grid, block, shared_bytes>>>(arguments...) is to nvcc. The error is also kept for cudaGetLastError().
template <class... Parameters>
cudaError_t launch_kernel(void (*kernel)(Parameters...), const GridShape& shape,
                          std::type_identity_t<Parameters>... values) {
  const void* const address = reinterpret_cast<const void*>(kernel);
#if defined(WAITLESS_SIMT_CHECKED)
  using Arguments = checked::KernelArguments<Parameters...>;
  const Arguments arguments{kernel, {values...}};
  const checked::InvokedKernel invoked{&Arguments::invoke, &arguments, sizeof arguments};
  return run_grid(shape, {&checked::run_fiber, &invoked, address});
#else
  using Arguments = KernelArguments<Parameters...>;
  const Arguments arguments{kernel, {values...}};
  return run_grid(shape, {&Arguments::run_fiber, &arguments, address});
#endif
}

/// The dynamic shared memory that a kernel may ask for, cudaFuncAttributeMaxDynamicSharedMemorySize.
/// @return false if no GPU of the modelled kind has so much
bool set_max_dynamic_shared_bytes(const void* kernel, std::size_t n_bytes);

}  // namespace waitless::simt
