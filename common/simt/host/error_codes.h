#pragma once

/// CUDA's error codes, with CUDA's numbers. X(name, number, sentence); the sentences are those of the CUDA runtime.
#define WAITLESS_SIMT_ERRORS(X)                                                                      \
  X(cudaSuccess, 0, "no error")                                                                      \
  X(cudaErrorInvalidValue, 1, "invalid argument")                                                    \
  X(cudaErrorMemoryAllocation, 2, "out of memory")                                                   \
  X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                              \
  X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                             \
  X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                                     \
  X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                        \
  X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version") \
  X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                   \
  X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                    \
  X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                           \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                  \
  X(cudaErrorNotReady, 600, "device not ready")                                                      \
  X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                        \
  X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                   \
  X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                          \
  X(cudaErrorAssert, 710, "device-side assert triggered")                                            \
  X(cudaErrorMisalignedAddress, 716, "misaligned address")                                           \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                       \
  X(cudaErrorNotSupported, 801, "operation not supported")                                           \
  X(cudaErrorUnknown, 999, "unknown error")

enum cudaError {
#define WAITLESS_SIMT_ENUMERATOR(name, number, sentence) name = number,
  WAITLESS_SIMT_ERRORS(WAITLESS_SIMT_ENUMERATOR)
#undef WAITLESS_SIMT_ENUMERATOR
};
using cudaError_t = cudaError;

/// @return CUDA's sentence for the code
const char* cudaGetErrorString(cudaError_t error);
/// @return "cudaErrorInvalidValue", ...
const char* cudaGetErrorName(cudaError_t error);

/// The first error of this host thread since the last call of cudaGetLastError.
cudaError_t cudaGetLastError();
/// The same, and it stays.
cudaError_t cudaPeekAtLastError();
