#include "common/cuda/cuda_check.h"

#if defined(WAITLESS_SIMT)
#include "common/simt/report.h"
#endif

namespace waitless {

void throw_cuda_error(cudaError_t result, const char* file, int line) {
  std::string what = std::string(file) + ":" + std::to_string(line) + ": " + cudaGetErrorString(result) + " (" +
                     cudaGetErrorName(result) + ")";
  if (cudaPeekAtLastError() == result) cudaGetLastError();  // it has been reported: the next call starts clean
#if defined(WAITLESS_SIMT)
  if (const std::string report = simt::take_report(); !report.empty()) what += ": " + report;
#endif
  throw CudaError(result, what);
}

}  // namespace waitless
