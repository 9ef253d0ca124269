#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "common/model/weight.h"

namespace waitless {

/// A row-major weight of any format, interleaved in panels of `panel_rows` rows.
inline Weight pack_panels(const Weight& w, int panel_rows) {
  Weight packed = w;
  packed.panel_rows = panel_rows;
  packed.stride = 0;
  const auto bytes = std::make_shared<std::vector<std::byte>>(std::size_t(packed.n_panels() * packed.panel_bytes()));
  packed.data = bytes->data();
  packed.owner = bytes;
  const Index block = w.format->bytes, n_blocks = w.row_bytes() / block;
  for (Index row = 0; row < w.rows; ++row) {
    std::byte* first = bytes->data() + (packed.row_data(row) - packed.data);
    for (Index i = 0; i < n_blocks; ++i) {
      std::copy_n(w.row_data(row) + i * block, block, first + i * panel_rows * block);
    }
  }
  return packed;
}

}  // namespace waitless
