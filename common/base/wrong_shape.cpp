#include "common/base/wrong_shape.h"

#include <stdexcept>
#include <string>

namespace waitless {
namespace {

/// "[2, 3]"
std::string shape_text(std::int64_t rows, std::int64_t cols) {
  return "[" + std::to_string(rows) + ", " + std::to_string(cols) + "]";
}

}  // namespace

void throw_wrong_shape(const char* name, std::int64_t rows, std::int64_t cols, std::int64_t expected_rows,
                       std::int64_t expected_cols) {
  throw std::invalid_argument(std::string(name) + " is " + shape_text(rows, cols) + ", expected " +
                              shape_text(expected_rows, expected_cols));
}

}  // namespace waitless
