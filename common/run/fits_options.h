#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace waitless {

/// What ./course fits asks about.
struct FitsOptions {
  std::string model = "Llama-3.1-8B", device = "H100-SXM";
  std::int64_t context = 8192, batch = 1;
  int weight_bits = 16, kv_bits = 16;
};

/// Reads the options of ./course fits and prints the bill; what is wrong with them is printed as one sentence.
/// @return the exit status
int run_fits(int argc, char** argv, const std::function<void(const FitsOptions&)>& print_bill);

}  // namespace waitless
