#include "common/model/weight.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "common/model/float16.h"
#include "common/tensor/parallel.h"

namespace waitless {
namespace {

// Each type stores its numbers in blocks of the layout below. decode() writes the numbers of a block;
// is_finite() tells whether all of them are finite, which the scales alone decide.

struct F32Block {
  static constexpr int kValues = 1;
  float value;
};
void decode(const F32Block& b, float* out) { out[0] = b.value; }
bool is_finite(const F32Block& b) { return (std::bit_cast<std::uint32_t>(b.value) & 0x7f800000) != 0x7f800000; }

struct F16Block {
  static constexpr int kValues = 1;
  std::uint16_t value;
};
bool is_finite_half(std::uint16_t half) { return (half & 0x7c00) != 0x7c00; }
void decode(const F16Block& b, float* out) { out[0] = half_to_float(b.value); }
bool is_finite(const F16Block& b) { return is_finite_half(b.value); }

struct BF16Block {
  static constexpr int kValues = 1;
  std::uint16_t value;
};
void decode(const BF16Block& b, float* out) { out[0] = bfloat16_to_float(b.value); }
bool is_finite(const BF16Block& b) { return (b.value & 0x7f80) != 0x7f80; }

struct Q8_0Block {
  static constexpr int kValues = 32;
  std::uint16_t scale;
  std::int8_t quants[32];
};
void decode(const Q8_0Block& b, float* out) {
  const float scale = half_to_float(b.scale);
  for (int i = 0; i < 32; ++i) out[i] = scale * float(b.quants[i]);
}
bool is_finite(const Q8_0Block& b) { return is_finite_half(b.scale); }

// A byte of the 4-bit types holds number i in its low half and number i + 16 in its high half.

struct Q4_0Block {
  static constexpr int kValues = 32;
  std::uint16_t scale;
  std::uint8_t quants[16];
};
void decode(const Q4_0Block& b, float* out) {
  const float scale = half_to_float(b.scale);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * float((b.quants[i] & 15) - 8);
    out[i + 16] = scale * float((b.quants[i] >> 4) - 8);
  }
}
bool is_finite(const Q4_0Block& b) { return is_finite_half(b.scale); }

struct Q4_1Block {
  static constexpr int kValues = 32;
  std::uint16_t scale;
  std::uint16_t minimum;
  std::uint8_t quants[16];
};
void decode(const Q4_1Block& b, float* out) {
  const float scale = half_to_float(b.scale), minimum = half_to_float(b.minimum);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * float(b.quants[i] & 15) + minimum;
    out[i + 16] = scale * float(b.quants[i] >> 4) + minimum;
  }
}
bool is_finite(const Q4_1Block& b) { return is_finite_half(b.scale) && is_finite_half(b.minimum); }

/// Calls visit(Block()) with the block of `type`; visit returns an int.
template <class Visit>
int visit_block(WeightType type, const Visit& visit) {
  switch (type) {
    case WeightType::kF32:
      return visit(F32Block());
    case WeightType::kF16:
      return visit(F16Block());
    case WeightType::kBF16:
      return visit(BF16Block());
    case WeightType::kQ8_0:
      return visit(Q8_0Block());
    case WeightType::kQ4_0:
      return visit(Q4_0Block());
    case WeightType::kQ4_1:
      return visit(Q4_1Block());
  }
  throw std::invalid_argument("weight type " + std::to_string(std::uint32_t(type)) + " has no format");
}

template <class Block>
constexpr WeightFormat format_of(const char* name) {
  return {name, Block::kValues, int(sizeof(Block))};
}

/// The i-th block of a row. A copy: blocks are not aligned, and the compiler sees that `out` cannot overlap it.
template <class Block>
Block load_block(const std::byte* row, Index i) {
  Block block;
  std::memcpy(&block, row + i * Index(sizeof(Block)), sizeof(Block));
  return block;
}

const std::byte* row_data(const Weight& w, Index row) { return w.data + row * w.row_bytes(); }

void expand_row_unchecked(const Weight& w, Index row, float* out) {
  visit_block(w.type, [&]<class Block>(Block) {
    for (Index i = 0; i < w.cols / Block::kValues; ++i) {
      decode(load_block<Block>(row_data(w, row), i), out + i * Block::kValues);
    }
    return 0;
  });
}

bool row_is_finite(const Weight& w, Index row) {
  return visit_block(w.type, [&]<class Block>(Block) {
    int all_finite = 1;
    for (Index i = 0; i < w.cols / Block::kValues; ++i) {
      all_finite &= int(is_finite(load_block<Block>(row_data(w, row), i)));
    }
    return all_finite;
  });
}

/// Memory for n floats, uninitialised, aligned for the widest vector registers.
std::shared_ptr<float> allocate_floats(Index n) {
  constexpr std::align_val_t kAlignment{64};
  return {static_cast<float*>(::operator new(std::size_t(n) * sizeof(float), kAlignment)),
          [](float* p) { ::operator delete(p, kAlignment); }};
}

Weight f32_weight(const Weight& like, std::shared_ptr<float> values) {
  Weight w = like;
  w.type = WeightType::kF32;
  w.data = reinterpret_cast<const std::byte*>(values.get());
  w.owner = std::move(values);
  return w;
}

}  // namespace

const WeightFormat* find_format(WeightType type) {
  static constexpr WeightFormat kF32 = format_of<F32Block>("F32"), kF16 = format_of<F16Block>("F16"),
                                kBF16 = format_of<BF16Block>("BF16"), kQ8_0 = format_of<Q8_0Block>("Q8_0"),
                                kQ4_0 = format_of<Q4_0Block>("Q4_0"), kQ4_1 = format_of<Q4_1Block>("Q4_1");
  static_assert(kQ8_0.bytes == 34 && kQ4_0.bytes == 18 && kQ4_1.bytes == 20);
  switch (type) {
    case WeightType::kF32:
      return &kF32;
    case WeightType::kF16:
      return &kF16;
    case WeightType::kBF16:
      return &kBF16;
    case WeightType::kQ8_0:
      return &kQ8_0;
    case WeightType::kQ4_0:
      return &kQ4_0;
    case WeightType::kQ4_1:
      return &kQ4_1;
  }
  return nullptr;
}

Index Weight::row_bytes() const {
  const WeightFormat* format = find_format(type);
  check_argument(format != nullptr && cols % format->values == 0, "a row of a weight must be whole blocks");
  return cols / format->values * format->bytes;
}

ConstMatrixMap Weight::f32() const {
  if (type != WeightType::kF32) {
    const WeightFormat* format = find_format(type);
    throw std::invalid_argument(std::string("the weight is of type ") + (format ? format->name : "unknown") +
                                ", not F32; expand() it first");
  }
  return {reinterpret_cast<const float*>(data), rows, cols};
}

void expand_row(const Weight& w, Index row, std::span<float> out) {
  check_argument(row >= 0 && row < w.rows, "expand_row: the weight has no such row");
  check_argument(Index(out.size()) == w.cols, "expand_row: out must hold one row");
  expand_row_unchecked(w, row, out.data());
}

Weight expand(const Weight& w) {
  if (w.type == WeightType::kF32) return w;
  std::shared_ptr<float> values = allocate_floats(w.rows * w.cols);
  parallel_for(w.rows, [&](Index row) { expand_row_unchecked(w, row, values.get() + row * w.cols); });
  return f32_weight(w, std::move(values));
}

Index find_non_finite_row(const Weight& w) {
  std::atomic<Index> first{w.rows};
  parallel_for(w.rows, [&](Index row) {
    if (row_is_finite(w, row)) return;
    Index so_far = first.load();
    while (row < so_far && !first.compare_exchange_weak(so_far, row)) {
    }
  });
  return first == w.rows ? -1 : first.load();
}

Weight make_weight(const Matrix& values, WeightRole role, int layer) {
  Weight shape;
  shape.role = role;
  shape.layer = layer;
  shape.rows = values.rows();
  shape.cols = values.cols();
  std::shared_ptr<float> copy = allocate_floats(values.size());
  std::copy_n(values.data(), values.size(), copy.get());
  return f32_weight(shape, std::move(copy));
}

}  // namespace waitless
