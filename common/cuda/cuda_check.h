#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#if defined(WAITLESS_SIMT)
#include "common/simt/report.h"
#endif

namespace waitless {

/// An error that the CUDA runtime reported.
class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const std::string& what) : std::runtime_error(what), code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

/// Checks the result of a CUDA call: cuda_check(cudaMemcpy(...)).
/// @throws CudaError "file:line: CUDA's sentence (CUDA's name)" unless the result is cudaSuccess. On simt the message
/// goes on with what simt found.
inline void cuda_check(cudaError_t result, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (result == cudaSuccess) return;
  std::string what = std::string(file) + ":" + std::to_string(line) + ": " + cudaGetErrorString(result) + " (" +
                     cudaGetErrorName(result) + ")";
  if (cudaPeekAtLastError() == result) cudaGetLastError();  // it has been reported: the next call starts clean
#if defined(WAITLESS_SIMT)
  if (const std::string report = simt::take_report(); !report.empty()) what += ": " + report;
#endif
  throw CudaError(result, what);
}

}  // namespace waitless
