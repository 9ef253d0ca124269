#pragma once

#include <cstdint>
#include <string>

namespace waitless {

/// "[2, 3]"
inline std::string shape_text(std::int64_t rows, std::int64_t cols) {
  return std::string("[").append(std::to_string(rows)).append(", ").append(std::to_string(cols)).append("]");
}

}  // namespace waitless
