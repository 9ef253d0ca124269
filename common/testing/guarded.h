#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "common/tensor/matrix.h"

namespace waitless {

/// A matrix for a function under test to work on, inside of memory that is none of its business: before the first row,
/// behind the last, and between the end of each row and the start of the next. That memory holds NaN, so a result in
/// which it takes part is NaN; the test fails if any of it has changed when the matrix goes out of scope.
class Guarded {
 public:
  /// What a matrix holds that nobody has written to: a number that no result has.
  static constexpr float kUnwritten = 99.0f;

  /// [rows, cols] of kUnwritten, for results.
  Guarded(Index rows, Index cols) : Guarded(Matrix::Constant(rows, cols, kUnwritten)) {}
  explicit Guarded(const Matrix& values) : rows_(values.rows()), cols_(values.cols()), memory_(n_memory()) {
    std::fill(memory_.begin(), memory_.end(), kGuardValue);
    view() = values;
  }
  /// A row, for functions that take a span.
  explicit Guarded(const std::vector<float>& row) : Guarded(Matrix(ConstMatrixMap(row.data(), 1, Index(row.size())))) {}
  ~Guarded() { check(); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  /// The matrix, whose rows lie further apart than they are long.
  MatrixRef view() {
    return Eigen::Map<Matrix, 0, Eigen::OuterStride<>>(first_row(), rows_, cols_, Eigen::OuterStride<>(stride()));
  }
  operator MatrixRef() { return view(); }
  operator ConstMatrixRef() { return view(); }
  std::span<float> row(Index r) { return {first_row() + r * stride(), std::size_t(cols_)}; }
  Matrix values() { return view(); }

 private:
  static constexpr float kGuardValue = std::numeric_limits<float>::quiet_NaN();
  static constexpr Index kGuard = 8;      // numbers behind each row
  static constexpr Index kGuardRows = 2;  // before the first row and behind the last

  Index stride() const { return cols_ + kGuard; }
  std::size_t n_memory() const { return std::size_t((rows_ + 2 * kGuardRows) * stride()); }
  float* first_row() { return memory_.data() + kGuardRows * stride(); }

  void check() {
    for (Index i = 0; i < Index(memory_.size()); ++i) {
      const Index r = i / stride() - kGuardRows, c = i % stride();
      if (r >= 0 && r < rows_ && c < cols_) continue;
      if (std::memcmp(&memory_[i], &kGuardValue, sizeof kGuardValue) == 0) continue;
      ADD_FAILURE() << "the matrix is [" << rows_ << ", " << cols_ << "], but " << memory_[i] << " was written at ["
                    << r << ", " << c << "], outside of it"
                    << (r >= 0 && r < rows_ ? " (rows may lie further apart than they are long)" : "");
      return;
    }
  }

  Index rows_, cols_;
  std::vector<float> memory_;
};

}  // namespace waitless
