#pragma once

#include <span>

#include "common/cuda/device_buffer.h"
#include "common/cuda/device_matrix.h"
#include "common/tensor/matrix.h"

namespace waitless {

/// A Matrix in device memory of its own.
class OnDevice {
 public:
  explicit OnDevice(const Matrix& m)
      : rows_(int(m.rows())), cols_(int(m.cols())), values_(std::span(m.data(), std::size_t(m.size()))) {}

  /// [rows, cols] filled with a number that no result has, to show what a kernel did not write.
  static OnDevice unwritten(Index rows, Index cols) { return OnDevice(Matrix::Constant(rows, cols, 99.0f)); }

  operator DeviceMatrix() { return {values_.data(), rows_, cols_}; }
  operator ConstDeviceMatrix() const { return {values_.data(), rows_, cols_}; }

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
