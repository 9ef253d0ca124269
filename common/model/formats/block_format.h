#pragma once

#include <cstring>
#include <type_traits>

#include "common/model/weight.h"

namespace waitless {

/// Calls visit(i, block) for each block of a row, with a copy: blocks are not aligned, and the compiler sees that
/// nothing else overlaps it.
template <class Block, class Visit>
void for_each_block(const Weight& w, Index row, const Visit& visit) {
  const std::byte* begin = w.row_data(row);
  const auto with_step = [&](auto step) {
    for (Index i = 0; i < w.cols / Block::kValues; ++i) {
      Block block;
      std::memcpy(&block, begin + i * step, sizeof(Block));
      visit(i, block);
    }
  };
  if (w.panel_rows == 1) {
    with_step(std::integral_constant<Index, sizeof(Block)>());  // known to the compiler, which then vectorizes
  } else {
    with_step(Index(sizeof(Block)) * w.panel_rows);
  }
}

/// A format whose blocks look like Block and need nothing but their own bytes. Beside Block stand
///   static constexpr int Block::kValues
///   void decode(const Block&, float* out)     writes its values
///   bool is_finite(const Block&)              whether all of them are finite
template <class Block>
constexpr WeightFormat format_of(const char* name, WeightType type) {
  return {.name = name,
          .type = type,
          .values = Block::kValues,
          .bytes = int(sizeof(Block)),
          .expand_row =
              [](const Weight& w, Index row, float* out) {
                for_each_block<Block>(w, row, [&](Index i, const Block& b) { decode(b, out + i * Block::kValues); });
              },
          .row_is_finite =
              [](const Weight& w, Index row) {
                int all_finite = 1;
                for_each_block<Block>(w, row, [&](Index, const Block& b) { all_finite &= int(is_finite(b)); });
                return all_finite != 0;
              }};
}

}  // namespace waitless
