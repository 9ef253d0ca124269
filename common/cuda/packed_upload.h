#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "common/cuda/cuda_check.h"
#include "common/cuda/device_buffer.h"

namespace waitless {

/// Small arrays that travel to the device together: each copy waits for its turn, so one copy a step is better than
/// ten. clear(), add() each array, upload(), then ask where each has landed. Host and device memory only ever grow.
class PackedUpload {
 public:
  /// Where an array of T lies.
  template <class T>
  struct Place {
    std::size_t first_word = 0, n = 0;
  };

  void clear() { words_.clear(); }

  /// Adds an array of numbers, or of structs of numbers, of 4 bytes each.
  template <class T>
  Place<T> add(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(int) == 0 && alignof(T) <= alignof(int));
    const Place<T> place{words_.size(), values.size()};
    words_.resize(words_.size() + values.size_bytes() / sizeof(int));
    if (!values.empty()) std::memcpy(words_.data() + place.first_word, values.data(), values.size_bytes());
    return place;
  }
  template <class T>
  Place<T> add(const std::vector<T>& values) {
    return add(std::span<const T>(values));
  }

  /// Queues the copy on the stream. What was added may change at once: CUDA copies from memory that is not pinned by
  /// way of memory of its own.
  void upload(cudaStream_t stream) {
    if (words_.empty()) return;
    if (words_.size() > device_.size()) device_ = DeviceBuffer<int>(std::max(words_.size(), 2 * device_.size()));
    cuda_check(
        cudaMemcpyAsync(device_.data(), words_.data(), words_.size() * sizeof(int), cudaMemcpyHostToDevice, stream));
  }

  /// The array in device memory, until the next upload; nullptr if it is empty.
  template <class T>
  const T* at(const Place<T>& place) const {
    return place.n == 0 ? nullptr : reinterpret_cast<const T*>(device_.data() + place.first_word);
  }

 private:
  std::vector<int> words_;
  DeviceBuffer<int> device_;
};

}  // namespace waitless
