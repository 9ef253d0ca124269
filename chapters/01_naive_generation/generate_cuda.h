#pragma once

#include <span>

#include "device_model.h"
#include "forward_cuda.h"
#include "generate.h"

namespace waitless {

/// generate() with the model on the device: token ids go in, one token id comes back for each pass. Greedy only.
/// @throws InputError as generate(), and if options.sampling asks for a temperature
Generation generate_cuda(const DeviceModel& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                         const GenerateOptions& options, const OnToken& on_token = {},
                         const DeviceOps& ops = naive_ops_cuda());

}  // namespace waitless
