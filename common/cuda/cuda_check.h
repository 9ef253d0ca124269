#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace waitless {

/// An error that the CUDA runtime reported.
class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const std::string& what) : std::runtime_error(what), code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

/// @throws CudaError "file:line: CUDA's sentence (CUDA's name)", always; on simt with what simt found
[[noreturn]] void throw_cuda_error(cudaError_t result, const char* file, int line);

/// Checks the result of a CUDA call: cuda_check(cudaMemcpy(...)).
/// @throws CudaError as above unless the result is cudaSuccess
inline void cuda_check(cudaError_t result, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (result != cudaSuccess) throw_cuda_error(result, file, line);
}

}  // namespace waitless
