#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/model/weight.h"

namespace waitless {

class MappedFile;

/// A value of GGUF metadata. Integers of all widths become int64, floats become double; arrays hold one kind.
using MetadataValue = std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>,
                                   std::vector<double>, std::vector<bool>, std::vector<std::string>>;

/// A tensor as the file lists it. A matrix [outputs, inputs] has the shape {inputs, outputs}.
struct GgufTensor {
  std::string name;
  const WeightFormat* format;
  std::vector<Index> shape;  // GGUF's order: the fastest dimension first; 1 to 4 entries
  std::span<const std::byte> data;
};

/// A GGUF file (versions 2 and 3, little-endian): metadata, and tensors that stay where they are in the mapped
/// file. Everything is checked while opening: what this class returns needs no further check.
/// Source: the GGUF specification, docs/gguf.md in the ggml repository.
class GgufFile {
 public:
  /// Maps a file.
  /// @throws InputError "<path>: <reason>" if it cannot be read or anything in it is invalid
  static GgufFile open(const std::filesystem::path& path, const MoreFormats& more_formats = {});

  /// Reads a file that lies in memory, from an address divisible by 8. `owner` keeps it alive; `name` is for messages.
  static GgufFile parse(std::string name, std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                        const MoreFormats& more_formats = {});

  const std::string& name() const { return name_; }
  const std::map<std::string, GgufTensor, std::less<>>& tensors() const { return tensors_; }

  bool has(std::string_view key) const { return metadata_.contains(key); }

  /// The value of a metadata key.
  /// @throws InputError naming the key if it is missing or of another kind
  template <class T>
  const T& get(std::string_view key) const;

  /// The value of a metadata key, or `otherwise` if the file lacks it.
  template <class T>
  T get_or(std::string_view key, T otherwise) const {
    return has(key) ? get<T>(key) : otherwise;
  }

  /// A tensor as a weight, without a copy. One-dimensional tensors become [1, n].
  /// @throws InputError if it is missing or is not [rows, cols]
  Weight weight(std::string_view tensor, WeightRole role, int layer, Index rows, Index cols) const;

  /// Lets the system take back the memory of a weight of this file that has been converted and will hardly be read here
  /// again. (It can be: its pages then come from the file once more.)
  void release(const Weight& weight) const;

  /// @throws InputError "<name>: <reason>"
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  std::string name_;
  std::map<std::string, MetadataValue, std::less<>> metadata_;
  std::map<std::string, GgufTensor, std::less<>> tensors_;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<const MappedFile> mapping_;  // null for a file in memory
};

}  // namespace waitless
