#pragma once

#include <span>

#include "common/cuda/device_buffer.h"
#include "common/cuda/device_matrix.h"
#include "common/tensor/matrix.h"

namespace waitless {

/// A Matrix in device memory of its own.
class OnDevice {
 public:
  /// @param file, line of the declaration, for messages
  explicit OnDevice(const Matrix& m, const char* file = __builtin_FILE(), int line = __builtin_LINE())
      : rows_(int(m.rows())), cols_(int(m.cols())), values_(std::span(m.data(), std::size_t(m.size())), file, line) {}

  /// [rows, cols] filled with a number that no result has, to show what a kernel did not write.
  static OnDevice unwritten(Index rows, Index cols, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return OnDevice(Matrix::Constant(rows, cols, 99.0f), file, line);
  }

  operator DeviceMatrix() { return {values_.data(), rows_, cols_}; }
  operator ConstDeviceMatrix() const { return {values_.data(), rows_, cols_}; }

  const float* data() const { return values_.data(); }
  std::size_t size_bytes() const { return values_.size_bytes(); }

  Matrix to_host() const {
    Matrix m(rows_, cols_);
    values_.copy_to_host(std::span(m.data(), std::size_t(m.size())));
    return m;
  }

 private:
  int rows_, cols_;
  DeviceBuffer<float> values_;
};

}  // namespace waitless
