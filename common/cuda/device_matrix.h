#pragma once

#include "common/base/wrong_shape.h"

namespace waitless {

/// A row-major matrix in device memory that somebody else owns: element [row, col] is data[row * cols + col].
/// Passed by value, to launchers on the host and to kernels alike.
template <class T>
struct BasicDeviceMatrix {
  T* data = nullptr;
  int rows = 0;
  int cols = 0;

  BasicDeviceMatrix top_rows(int n) const { return {data, n, cols}; }
  operator BasicDeviceMatrix<const T>() const { return {data, rows, cols}; }
};

using DeviceMatrix = BasicDeviceMatrix<float>;
using ConstDeviceMatrix = BasicDeviceMatrix<const float>;

/// @throws std::invalid_argument "<name> is [2, 3], expected [2, 4]" unless `m` is [rows, cols]
inline void check_device_shape(const char* name, ConstDeviceMatrix m, int rows, int cols) {
  if (m.rows != rows || m.cols != cols) throw_wrong_shape(name, m.rows, m.cols, rows, cols);
}

}  // namespace waitless
