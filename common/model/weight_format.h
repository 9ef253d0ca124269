#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/tensor/matrix.h"

namespace waitless {

struct Weight;

/// Numbers of formats: GGUF's codes, and from kFirstOwn up those of formats that no GGUF file holds.
enum class WeightType : std::uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ8_0 = 8,
  kBF16 = 30,
  kFirstOwn = 1000
};

/// How a weight stores its values: in blocks, each of `values` neighbours of one row in `bytes` bytes. A chapter adds a
/// format by defining one; format_of() of formats/block_format.h makes it from the layout of a block.
struct WeightFormat {
  const char* name;
  WeightType type;
  int values;
  int bytes;

  /// Decodes one row, which exists.
  /// @param out [w.cols]
  void (*expand_row)(const Weight& w, Index row, float* out);

  /// Whether a row holds neither an infinity nor a NaN.
  bool (*row_is_finite)(const Weight& w, Index row);
};

/// Source: the block layouts are those of ggml-common.h in llama.cpp.
extern const WeightFormat kF32Format, kF16Format, kBF16Format, kQ8_0Format, kQ4_0Format, kQ4_1Format;

/// The formats that files may use.
std::span<const WeightFormat* const> file_formats();

/// Formats that a chapter brings, which a file may use beside file_formats().
using MoreFormats = std::vector<const WeightFormat*>;

/// @return the format of file_formats() with that number, or nullptr
const WeightFormat* find_format(WeightType type);

}  // namespace waitless
