#include "common/model/weight.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <stdexcept>
#include <string>

#include "common/tensor/parallel.h"

namespace waitless {
namespace {

bool is_row_major_f32(const Weight& w) { return w.format == &kF32Format && w.panel_rows == 1; }

/// Memory for n floats, uninitialised, aligned for the widest vector registers.
std::shared_ptr<float> allocate_floats(Index n) {
  constexpr std::align_val_t kAlignment{64};
  return {static_cast<float*>(::operator new(std::size_t(n) * sizeof(float), kAlignment)),
          [](float* p) { ::operator delete(p, kAlignment); }};
}

Weight f32_weight(WeightRole role, int layer, Index rows, Index cols, std::shared_ptr<float> values) {
  Weight w;
  w.role = role;
  w.layer = layer;
  w.rows = rows;
  w.cols = cols;
  w.data = reinterpret_cast<const std::byte*>(values.get());
  w.owner = std::move(values);
  return w;
}

}  // namespace

bool is_matrix(WeightRole role) {
  return role != WeightRole::kAttentionNorm && role != WeightRole::kFeedForwardNorm &&
         role != WeightRole::kOutputNorm && role != WeightRole::kExtra;
}

Index Weight::row_bytes() const {
  check_argument(cols % format->values == 0, "a row of a weight must be whole blocks");
  return cols / format->values * format->bytes;
}

ConstStridedMap Weight::f32() const {
  if (!is_row_major_f32(*this)) {
    throw std::invalid_argument(std::string("the weight is of type ") + format->name +
                                (panel_rows > 1 ? " in panels of " + std::to_string(panel_rows) + " rows" : "") +
                                ", not row-major F32; expand() it first");
  }
  const Index row_floats = stride != 0 ? stride / Index(sizeof(float)) : cols;
  return {reinterpret_cast<const float*>(data), rows, cols, Eigen::OuterStride<>(row_floats)};
}

void expand_row(const Weight& w, Index row, std::span<float> out) {
  check_argument(row >= 0 && row < w.rows, "expand_row: the weight has no such row");
  check_argument(Index(out.size()) == w.cols, "expand_row: out must hold one row");
  w.format->expand_row(w, row, out.data());
}

Weight expand(const Weight& w) {
  if (is_row_major_f32(w) && w.stride == 0) return w;
  std::shared_ptr<float> values = allocate_floats(w.rows * w.cols);
  parallel_for(w.rows, [&](Index row) { w.format->expand_row(w, row, values.get() + row * w.cols); });
  return f32_weight(w.role, w.layer, w.rows, w.cols, std::move(values));
}

Index find_non_finite_row(const Weight& w) {
  std::atomic<Index> first{w.rows};
  parallel_for(w.rows, [&](Index row) {
    if (w.format->row_is_finite(w, row)) return;
    Index so_far = first.load();
    while (row < so_far && !first.compare_exchange_weak(so_far, row)) {
    }
  });
  return first == w.rows ? -1 : first.load();
}

Weight make_weight(const Matrix& values, WeightRole role, int layer) {
  std::shared_ptr<float> copy = allocate_floats(values.size());
  std::copy_n(values.data(), values.size(), copy.get());
  return f32_weight(role, layer, values.rows(), values.cols(), std::move(copy));
}

}  // namespace waitless
