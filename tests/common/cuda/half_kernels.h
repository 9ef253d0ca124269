#pragma once

#include <cstdint>
#include <vector>

namespace waitless {

/// Conversions done by a kernel, one thread an element.
std::vector<float> half_to_float_on_device(const std::vector<std::uint16_t>& bits);
std::vector<std::uint16_t> float_to_half_on_device(const std::vector<float>& values);
std::vector<float> bf16_to_float_on_device(const std::vector<std::uint16_t>& bits);
std::vector<std::uint16_t> float_to_bf16_on_device(const std::vector<float>& values);

}  // namespace waitless
