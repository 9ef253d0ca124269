#pragma once

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "common/cuda/device.h"
#include "common/cuda/device_buffer.h"
#include "common/cuda/device_matrix.h"
#include "common/tensor/matrix.h"

namespace waitless {

/// A test of kernels: on simt, or on a GPU; skipped in the driver's words where the course was built for a GPU and none
/// answers.
class CudaTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_no_device(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

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
