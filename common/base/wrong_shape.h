#pragma once

#include <cstdint>

namespace waitless {

/// @throws std::invalid_argument "<name> is [2, 3], expected [2, 4]", always
[[noreturn]] void throw_wrong_shape(const char* name, std::int64_t rows, std::int64_t cols, std::int64_t expected_rows,
                                    std::int64_t expected_cols);

}  // namespace waitless
