#pragma once

#include <map>
#include <string>

#include "common/model/byte_reader.h"
#include "common/model/gguf.h"

namespace waitless {

using Metadata = std::map<std::string, MetadataValue, std::less<>>;

/// Reads n_entries pairs of key and value.
/// @throws InputError naming the key whose value is of an unknown type or kind, or that appears twice
Metadata read_metadata(ByteReader& in, std::uint64_t n_entries);

}  // namespace waitless
