#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "common/cuda/device_buffer.h"
#include "common/cuda/launch.h"

namespace waitless::simt_test {

/// Runs a kernel whose first parameter is its output.
/// @param n elements of output, all bytes 0 before the launch
/// @return the output
template <class T, class... Parameters>
std::vector<T> run_kernel(void (*kernel)(T*, Parameters...), const LaunchConfig& config, std::size_t n,
                          std::type_identity_t<Parameters>... arguments) {
  DeviceBuffer<T> output(n);
  output.fill_bytes(0);
  launch(kernel, config, output.data(), arguments...);
  return output.to_host();
}

}  // namespace waitless::simt_test
