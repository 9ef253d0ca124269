#include "common/model/gguf_metadata.h"

#include <limits>
#include <type_traits>

#include "common/base/quote.h"

namespace waitless {
namespace {

/// The codes that the file uses for types of metadata.
enum ValueType : std::uint32_t {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kFloat32,
  kBool,
  kString,
  kArray,
  kUint64,
  kInt64,
  kFloat64,
};

/// Reads one value or an array of them, stored as Stored, and keeps it as Kept.
template <class Stored, class Kept>
MetadataValue read_values(ByteReader& in, bool is_array) {
  const auto read_one = [&]() -> Kept {
    const Stored value = in.read<Stored>();
    if constexpr (std::is_same_v<Stored, std::uint64_t>) {
      if (value > std::uint64_t(std::numeric_limits<std::int64_t>::max())) {
        in.fail("holds the number " + std::to_string(value) + " in its metadata, which is beyond 63 bits");
      }
    }
    return Kept(value);
  };
  if (!is_array) return MetadataValue(std::in_place_type<Kept>, read_one());

  constexpr std::uint64_t kBytesEach = std::is_same_v<Stored, std::string> ? 8 : sizeof(Stored);
  std::vector<Kept> values(in.read_count("array elements", kBytesEach));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = read_one();
  return MetadataValue(std::in_place_type<std::vector<Kept>>, std::move(values));
}

MetadataValue read_value(ByteReader& in, const std::string& key) {
  auto type = in.read<std::uint32_t>();
  const bool is_array = type == kArray;
  if (is_array) type = in.read<std::uint32_t>();
  switch (type) {
    case kUint8:
      return read_values<std::uint8_t, std::int64_t>(in, is_array);
    case kInt8:
      return read_values<std::int8_t, std::int64_t>(in, is_array);
    case kUint16:
      return read_values<std::uint16_t, std::int64_t>(in, is_array);
    case kInt16:
      return read_values<std::int16_t, std::int64_t>(in, is_array);
    case kUint32:
      return read_values<std::uint32_t, std::int64_t>(in, is_array);
    case kInt32:
      return read_values<std::int32_t, std::int64_t>(in, is_array);
    case kUint64:
      return read_values<std::uint64_t, std::int64_t>(in, is_array);
    case kInt64:
      return read_values<std::int64_t, std::int64_t>(in, is_array);
    case kFloat32:
      return read_values<float, double>(in, is_array);
    case kFloat64:
      return read_values<double, double>(in, is_array);
    case kBool:
      return read_values<bool, bool>(in, is_array);
    case kString:
      return read_values<std::string, std::string>(in, is_array);
    case kArray:
      in.fail("metadata " + in_quotes(key) + " is an array of arrays, which is not supported");
    default:
      in.fail("metadata " + in_quotes(key) + " is of unknown type " + std::to_string(type));
  }
}

}  // namespace

Metadata read_metadata(ByteReader& in, std::uint64_t n_entries) {
  Metadata metadata;
  for (std::uint64_t i = 0; i < n_entries; ++i) {
    std::string key = in.read<std::string>();
    if (key.empty()) in.fail("has a metadata entry without a name");
    MetadataValue value = read_value(in, key);
    const auto [entry, is_new] = metadata.emplace(std::move(key), std::move(value));
    if (!is_new) in.fail("has the metadata " + in_quotes(entry->first) + " twice");
  }
  return metadata;
}

}  // namespace waitless
