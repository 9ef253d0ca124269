#pragma once

#include <cstdint>
#include <string>

namespace waitless {

/// What ./course fits asks about.
struct FitsOptions {
  std::string model = "Llama-3.1-8B";  // a row of datasets/model_shapes.csv, or what --model takes
  std::string device = "H100-SXM";     // a row of datasets/hardware.csv, or a number of GiB
  std::int64_t context = 8192;         // tokens of each sequence
  std::int64_t batch = 1;              // sequences at a time
  int weight_bits = 16, kv_bits = 16;
};

/// Prints weights and KV cache against the memory of a device: what fits, and what does not.
/// @throws InputError naming a model or device that there is not, or if the cache is beyond 64 bits
void print_fits(const FitsOptions& options);

}  // namespace waitless
