#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/cuda/cuda_check.h"

namespace waitless {

/// An array of T in device memory, freed with the object. The host reaches its elements by copying only.
/// Copies wait for the device. All members throw CudaError where CUDA reports an error.
template <class T>
class DeviceBuffer {
#if !defined(WAITLESS_SIMT_CHECKED)  // there float4 has a copy constructor
  static_assert(std::is_trivially_copyable_v<T>, "device memory is copied byte by byte");
#endif

 public:
  DeviceBuffer() = default;
  /// n elements, uninitialised.
  /// @param file, line of the declaration, for messages
  explicit DeviceBuffer(std::size_t n, const char* file = __builtin_FILE(), int line = __builtin_LINE()) : size_(n) {
#if defined(WAITLESS_SIMT)
    cuda_check(cudaMalloc(&data_, n * sizeof(T), file, line), file, line);
#else
    cuda_check(cudaMalloc(&data_, n * sizeof(T)), file, line);
#endif
  }
  /// A copy of host memory.
  explicit DeviceBuffer(std::span<const T> host, const char* file = __builtin_FILE(), int line = __builtin_LINE())
      : DeviceBuffer(host.size(), file, line) {
    copy_from_host(host);
  }
  explicit DeviceBuffer(const std::vector<T>& host, const char* file = __builtin_FILE(), int line = __builtin_LINE())
      : DeviceBuffer(std::span<const T>(host), file, line) {}
  ~DeviceBuffer() { cudaFree(data_); }

  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    DeviceBuffer(std::move(other)).swap(*this);
    return *this;
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  /// The device pointer to pass to kernels.
  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t size_bytes() const { return size_ * sizeof(T); }

  /// Copies elements offset .. offset + host.size() - 1.
  /// @throws std::out_of_range if the buffer has fewer
  void copy_from_host(std::span<const T> host, std::size_t offset = 0) {
    check_range(host.size(), offset);
    if (!host.empty()) cuda_check(cudaMemcpy(data_ + offset, host.data(), host.size_bytes(), cudaMemcpyHostToDevice));
  }
  void copy_to_host(std::span<T> host, std::size_t offset = 0) const {
    check_range(host.size(), offset);
    if (!host.empty()) cuda_check(cudaMemcpy(host.data(), data_ + offset, host.size_bytes(), cudaMemcpyDeviceToHost));
  }

  /// All elements.
  std::vector<T> to_host() const {
    std::vector<T> host(size_);
    copy_to_host(host);
    return host;
  }

  /// Sets every byte, for instance to 0.
  void fill_bytes(unsigned char byte) {
    if (size_ != 0) cuda_check(cudaMemset(data_, byte, size_bytes()));
  }

 private:
  void swap(DeviceBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  void check_range(std::size_t n, std::size_t offset) const {
    if (offset <= size_ && n <= size_ - offset) return;
    throw std::out_of_range("DeviceBuffer of " + std::to_string(size_) + " elements: elements " +
                            std::to_string(offset) + " .. " + std::to_string(offset + n) +
                            " (exclusive) were asked for");
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace waitless
