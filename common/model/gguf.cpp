#include "common/model/gguf.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "common/base/error.h"
#include "common/base/quote.h"
#include "common/model/byte_reader.h"
#include "common/model/gguf_metadata.h"
#include "common/model/mapped_file.h"

namespace waitless {
namespace {

constexpr std::uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr int kMaxDimensions = 4;

/// The name that the GGUF ecosystem gives to a type of tensor.
std::string type_name(std::uint32_t type) {
  static constexpr const char* kNames[] = {
      "F32",   "F16",    "Q4_0", "Q4_1", "Q4_2", "Q4_3",    "Q5_0",   "Q5_1",    "Q8_0",  "Q8_1",   "Q2_K",
      "Q3_K",  "Q4_K",   "Q5_K", "Q6_K", "Q8_K", "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S",
      "IQ2_S", "IQ4_XS", "I8",   "I16",  "I32",  "I64",     "F64",    "IQ1_M",   "BF16"};
  return type < std::size(kNames) ? kNames[type] : "number " + std::to_string(type);
}

std::string names_of(const std::vector<const WeightFormat*>& formats) {
  std::string names = formats.front()->name;
  for (std::size_t i = 1; i < formats.size(); ++i)
    names += (i + 1 == formats.size() ? " and " : ", ") + std::string(formats[i]->name);
  return names;
}

std::string shape_text(const std::vector<Index>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

/// Reads magic and version.
void check_header(ByteReader& in) {
  if (in.size() < sizeof(kMagic) || in.read<std::uint32_t>() != kMagic) {
    in.fail("is not a GGUF file (it does not start with the letters GGUF)");
  }
  const auto version = in.read<std::uint32_t>();
  if (version == 2 || version == 3) return;
  if (version != 0 && (version & 0xffff) == 0) {
    in.fail("is a big-endian GGUF file (the bytes of its version are swapped); only little-endian is supported");
  }
  in.fail("is of GGUF version " + std::to_string(version) + "; versions 2 and 3 are supported");
}

using Tensors = std::map<std::string, GgufTensor, std::less<>>;

/// Where the bytes of a tensor lie within the data section.
struct Placement {
  GgufTensor* tensor;
  std::uint64_t offset;
  std::uint64_t n_bytes;
};

/// The bytes of a tensor of that type and shape, or an error if they would exceed the file.
std::uint64_t checked_bytes(const ByteReader& in, const std::string& name, const WeightFormat& format,
                            const std::vector<Index>& shape) {
  if (shape[0] % format.values != 0) {
    in.fail("tensor " + in_quotes(name) + " has rows of " + std::to_string(shape[0]) +
            " numbers, which is not a multiple of " + std::to_string(format.values) + ", the block of type " +
            format.name);
  }
  std::uint64_t n_bytes = std::uint64_t(format.bytes);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::uint64_t factor = std::uint64_t(i == 0 ? shape[0] / format.values : shape[i]);
    if (factor > in.size() / n_bytes) {
      in.fail("tensor " + in_quotes(name) + " of shape " + shape_text(shape) + " and type " + format.name +
              " is larger than the whole file of " + std::to_string(in.size()) + " bytes");
    }
    n_bytes *= factor;
  }
  return n_bytes;
}

/// Reads one entry of the list of tensors.
Placement read_tensor(ByteReader& in, const std::vector<const WeightFormat*>& formats, Tensors& tensors) {
  const std::string name = in.read<std::string>();
  if (name.empty()) in.fail("has a tensor without a name");

  const auto n_dimensions = in.read<std::uint32_t>();
  if (n_dimensions < 1 || n_dimensions > kMaxDimensions) {
    in.fail("tensor " + in_quotes(name) + " has " + std::to_string(n_dimensions) + " dimensions; 1 to 4 are possible");
  }
  std::vector<Index> shape;
  for (std::uint32_t i = 0; i < n_dimensions; ++i) {
    const auto n = in.read<std::uint64_t>();
    if (n == 0 || n > std::uint64_t(std::numeric_limits<Index>::max())) {
      in.fail("tensor " + in_quotes(name) + " has a dimension of size " + std::to_string(n));
    }
    shape.push_back(Index(n));
  }

  const auto type = in.read<std::uint32_t>();
  const auto format = std::find_if(formats.begin(), formats.end(),
                                   [&](const WeightFormat* it) { return it->type == WeightType(type); });
  if (format == formats.end()) {
    in.fail("tensor " + in_quotes(name) + " is of type " + type_name(type) + ", which is not supported; " +
            names_of(formats) + " are");
  }
  const auto offset = in.read<std::uint64_t>();
  const std::uint64_t n_bytes = checked_bytes(in, name, **format, shape);

  const auto [entry, is_new] = tensors.emplace(name, GgufTensor{name, *format, std::move(shape), {}});
  if (!is_new) in.fail("has the tensor " + in_quotes(name) + " twice");
  return {&entry->second, offset, n_bytes};
}

std::uint64_t read_alignment(const ByteReader& in, const Metadata& metadata) {
  const auto entry = metadata.find("general.alignment");
  if (entry == metadata.end()) return kDefaultAlignment;
  const auto* alignment = std::get_if<std::int64_t>(&entry->second);
  if (alignment == nullptr) in.fail("metadata \"general.alignment\" is not an integer");
  if (*alignment < 8 || !std::has_single_bit(std::uint64_t(*alignment))) {
    in.fail("has an alignment of " + std::to_string(*alignment) + "; it must be a power of two, at least 8");
  }
  return std::uint64_t(*alignment);
}

/// Gives every tensor its bytes, after checking that they lie inside `data` and belong to no other tensor.
void place_tensors(const ByteReader& in, std::vector<Placement>& placements, std::span<const std::byte> data,
                   std::uint64_t alignment) {
  std::sort(placements.begin(), placements.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const Placement& it = placements[i];
    const std::string& name = it.tensor->name;
    if (it.offset % alignment != 0) {
      in.fail("tensor " + in_quotes(name) + " begins at offset " + std::to_string(it.offset) +
              ", which is not a multiple of the alignment " + std::to_string(alignment));
    }
    if (it.offset > data.size() || it.n_bytes > data.size() - it.offset) {
      in.fail("tensor " + in_quotes(name) + " takes " + std::to_string(it.n_bytes) + " bytes from offset " +
              std::to_string(it.offset) + ", but the data ends at " + std::to_string(data.size()) +
              "; the file may be truncated");
    }
    if (i > 0 && it.offset < placements[i - 1].offset + placements[i - 1].n_bytes) {
      in.fail("tensors " + in_quotes(placements[i - 1].tensor->name) + " and " + in_quotes(name) + " overlap");
    }
    it.tensor->data = data.subspan(it.offset, it.n_bytes);
  }
}

}  // namespace

GgufFile GgufFile::open(const std::filesystem::path& path, const MoreFormats& more_formats) {
  const auto mapping = MappedFile::open(path);
  GgufFile file = parse(path.string(), mapping->bytes(), mapping, more_formats);
  file.mapping_ = mapping;
  return file;
}

GgufFile GgufFile::parse(std::string name, std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                         const MoreFormats& more_formats) {
  check_argument(reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 == 0, "a GGUF file must lie at a multiple of 8");
  GgufFile file;
  file.name_ = name;
  file.owner_ = std::move(owner);

  ByteReader in(std::move(name), bytes);
  check_header(in);
  constexpr std::uint64_t kSmallestTensor = 8 + 4 + 8 + 4 + 8, kSmallestMetadata = 8 + 4 + 1;
  const std::uint64_t n_tensors = in.read_count("tensors", kSmallestTensor);
  const std::uint64_t n_metadata = in.read_count("metadata entries", kSmallestMetadata);

  in.enter("metadata");
  file.metadata_ = read_metadata(in, n_metadata);

  in.enter("list of tensors");
  std::vector<const WeightFormat*> formats(file_formats().begin(), file_formats().end());
  formats.insert(formats.end(), more_formats.begin(), more_formats.end());
  std::vector<Placement> placements;
  for (std::uint64_t i = 0; i < n_tensors; ++i) placements.push_back(read_tensor(in, formats, file.tensors_));

  // The data section begins at the next multiple of the alignment.
  const std::uint64_t alignment = read_alignment(in, file.metadata_);
  const std::uint64_t data_begin = (in.position() + alignment - 1) / alignment * alignment;
  place_tensors(in, placements, bytes.subspan(std::min<std::uint64_t>(data_begin, bytes.size())), alignment);
  return file;
}

template <class T>
const T& GgufFile::get(std::string_view key) const {
  static constexpr const char* kKinds[] = {"an integer",
                                           "a number",
                                           "a boolean",
                                           "a string",
                                           "an array of integers",
                                           "an array of numbers",
                                           "an array of booleans",
                                           "an array of strings"};
  const auto entry = metadata_.find(key);
  if (entry == metadata_.end()) fail("lacks the metadata " + in_quotes(key));
  if (const T* value = std::get_if<T>(&entry->second)) return *value;
  fail("metadata " + in_quotes(key) + " is " + kKinds[entry->second.index()] + ", expected " +
       kKinds[MetadataValue(T()).index()]);
}

template const std::int64_t& GgufFile::get(std::string_view) const;
template const double& GgufFile::get(std::string_view) const;
template const bool& GgufFile::get(std::string_view) const;
template const std::string& GgufFile::get(std::string_view) const;
template const std::vector<std::int64_t>& GgufFile::get(std::string_view) const;
template const std::vector<double>& GgufFile::get(std::string_view) const;
template const std::vector<bool>& GgufFile::get(std::string_view) const;
template const std::vector<std::string>& GgufFile::get(std::string_view) const;

Weight GgufFile::weight(std::string_view tensor, WeightRole role, int layer, Index rows, Index cols) const {
  const auto entry = tensors_.find(tensor);
  if (entry == tensors_.end()) fail("lacks the tensor " + in_quotes(tensor));
  std::vector<Index> shape = entry->second.shape;
  while (shape.size() > 1 && shape.back() == 1) shape.pop_back();
  if (shape.size() == 1) shape.push_back(1);
  if (shape != std::vector<Index>{cols, rows}) {
    fail("tensor " + in_quotes(tensor) + " has the shape " + shape_text(entry->second.shape) + ", expected " +
         (rows == 1 ? shape_text({cols}) : shape_text({cols, rows})));
  }
  Weight weight;
  weight.role = role;
  weight.layer = layer;
  weight.format = entry->second.format;
  weight.rows = rows;
  weight.cols = cols;
  weight.data = entry->second.data.data();
  weight.owner = owner_;
  return weight;
}

void GgufFile::release(const Weight& weight) const {
  if (mapping_) mapping_->release({weight.data, std::size_t(weight.bytes())});
}

void GgufFile::fail(const std::string& reason) const { throw InputError(name_ + ": " + reason); }

}  // namespace waitless
