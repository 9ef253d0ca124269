#pragma once

/// The part of the CUDA runtime API that the course uses. Everything is synchronous: a stream runs each command before
/// the call returns, so synchronizing has nothing to wait for.

#include <cstddef>
#include <type_traits>

#include "common/simt/host/device_properties.h"
#include "common/simt/host/error_codes.h"

enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault,
};

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;

// Memory.

cudaError_t cudaFree(void* start);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t n_bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t n_bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t n_bytes,
                         std::size_t n_rows, cudaMemcpyKind kind);
cudaError_t cudaMemset(void* start, int byte, std::size_t n_bytes);
cudaError_t cudaMemsetAsync(void* start, int byte, std::size_t n_bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemGetInfo(std::size_t* n_free, std::size_t* n_total);

// Streams and events. An event is a moment on the host's clock: elapsed times are those of this CPU.

constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2;
constexpr unsigned cudaHostAllocDefault = 0;

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

// Kernels.

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
};

namespace waitless::simt {

/// @param file, line where, for reports
cudaError_t allocate(void** start, std::size_t n_bytes, const char* file, int line);
cudaError_t allocate_host(void** start, std::size_t n_bytes);
cudaError_t set_function_attribute(const void* kernel, cudaFuncAttribute attribute, int value);
/// Copies to or from a __constant__ or __device__ variable, which is an ordinary variable here.
cudaError_t copy_symbol(void* to, const void* from, std::size_t n_bytes, std::size_t offset, std::size_t symbol_size,
                        bool to_symbol);

}  // namespace waitless::simt

template <class T>
cudaError_t cudaMalloc(T** start, std::size_t n_bytes, const char* file = __builtin_FILE(),
                       int line = __builtin_LINE()) {
  return waitless::simt::allocate(reinterpret_cast<void**>(start), n_bytes, file, line);
}

/// Host memory that a GPU copies faster; plain memory here.
template <class T>
cudaError_t cudaMallocHost(T** start, std::size_t n_bytes, unsigned /*flags*/ = cudaHostAllocDefault) {
  return waitless::simt::allocate_host(reinterpret_cast<void**>(start), n_bytes);
}
cudaError_t cudaFreeHost(void* start);

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value) {
  return waitless::simt::set_function_attribute(reinterpret_cast<const void*>(kernel), attribute, value);
}

template <class T>
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, std::size_t n_bytes, std::size_t offset = 0,
                               cudaMemcpyKind = cudaMemcpyHostToDevice) {
  auto* const start = const_cast<char*>(reinterpret_cast<const volatile char*>(&symbol));
  return waitless::simt::copy_symbol(start + offset, from, n_bytes, offset, sizeof symbol, true);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, T& symbol, std::size_t n_bytes, std::size_t offset = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  const auto* const start = const_cast<const char*>(reinterpret_cast<const volatile char*>(&symbol));
  return waitless::simt::copy_symbol(to, start + offset, n_bytes, offset, sizeof symbol, false);
}
