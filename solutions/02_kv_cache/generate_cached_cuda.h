#pragma once

#include "01_naive_generation/device_model.h"
#include "cached_ops_cuda.h"
#include "generate_cached.h"

namespace waitless {

/// generate_cached() with model and cache on the device: token ids go in, one token id comes back for each pass. Greedy
/// only.
/// @throws InputError as generate_cached(), and if options.sampling asks for a temperature
CachedGeneration generate_cached_cuda(const DeviceModel& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                                      const GenerateOptions& options, const OnToken& on_token = {},
                                      const Clock& clock = steady_clock(),
                                      const DeviceOpsOfCache& ops_of_cache = default_ops_of_cache_cuda);

}  // namespace waitless
