#pragma once

#include "common/model/config.h"

namespace waitless {

class GgufFile;

/// Reads the shape of a model from the metadata of its file.
/// @throws InputError if the architecture is not `llama`, an entry is missing or impossible, or the model needs
///         something that the course does not support (experts, other rope scalings, partial rotation, ...)
Config read_llama_config(const GgufFile& file);

}  // namespace waitless
