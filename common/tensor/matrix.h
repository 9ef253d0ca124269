#pragma once

#include <Eigen/Core>
#include <stdexcept>

#include "common/base/wrong_shape.h"
#include "common/tensor/matrix_product.h"

namespace waitless {

using Index = Eigen::Index;

/// Row-major, as on the GPU: element [row, col] lies at row * cols + col. A row is a token.
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Views of a Matrix, of some of its rows, or of a range of its columns (rows may be further apart than cols).
/// Passing one never copies.
using MatrixRef = Eigen::Ref<Matrix, 0, Eigen::OuterStride<>>;
using ConstMatrixRef = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;

/// A Matrix laid over memory that somebody else owns.
using MatrixMap = Eigen::Map<Matrix>;
using ConstMatrixMap = Eigen::Map<const Matrix>;

/// The same, with rows that may be further apart than cols.
using ConstStridedMap = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

/// @throws std::invalid_argument "<name> is [2, 3], expected [2, 4]" unless `m` is [rows, cols]
template <class M>
void check_shape(const char* name, const M& m, Index rows, Index cols) {
  if (m.rows() != rows || m.cols() != cols) throw_wrong_shape(name, m.rows(), m.cols(), rows, cols);
}

/// @throws std::invalid_argument with `message` unless `condition` holds
inline void check_argument(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

}  // namespace waitless
