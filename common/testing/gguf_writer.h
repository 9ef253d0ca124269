#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "common/model/gguf.h"
#include "common/model/model.h"

namespace waitless {

/// Writes GGUF files for tests: valid ones, and ones that are broken in a chosen way. Every field may be changed
/// before bytes() puts them together. Byte strings are std::string.
struct GgufWriter {
  struct Entry {
    std::string key;
    std::uint32_t type;  // GGUF's code
    std::string value;   // its bytes
  };
  struct Tensor {
    std::string name;
    std::vector<std::uint64_t> shape;  // the fastest dimension first
    std::uint32_t type;                // GGUF's code
    std::string data;
    std::optional<std::uint64_t> offset;  // by default behind the tensor before it, aligned
  };

  std::uint32_t magic = 0x46554747;  // "GGUF"
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;  // of the data; the metadata general.alignment is set by itself
  std::optional<std::uint64_t> claimed_tensors, claimed_entries;  // by default as many as there are
  std::vector<Entry> metadata;
  std::vector<Tensor> tensors;

  /// Sets a metadata entry, replacing the one of that key. T is bool, a 32- or 64-bit number, std::string, or a
  /// std::vector of one of these.
  template <class T>
  void set(const std::string& key, const T& value) {
    set_raw(key, type_code<T>(), value_bytes(value));
  }
  void set(const std::string& key, const char* value) { set(key, std::string(value)); }
  void set_raw(const std::string& key, std::uint32_t type, std::string value);

  /// Removes a metadata entry or tensor.
  void erase(const std::string& name);

  /// @throws std::out_of_range if there is no tensor of that name
  Tensor& tensor(const std::string& name);

  std::string bytes() const;
  void save(const std::filesystem::path& path) const;

  /// The bytes of a value as GGUF stores it.
  template <class T>
  static std::string value_bytes(const T& value);

 private:
  template <class T>
  static constexpr std::uint32_t type_code();
};

/// Reads a file that lies in memory.
GgufFile parse_gguf(std::string bytes, const std::string& name = "test.gguf");

/// The values of a matrix as F32, F16 or BF16, rounded to the nearest.
std::string encode_weights(const ConstMatrixRef& values, WeightType type);

/// A weight made of the bytes of its rows.
Weight weight_of_bytes(WeightType type, Index rows, Index cols, std::string bytes,
                       WeightRole role = WeightRole::kOutput, int layer = -1);

/// Makes F16 or BF16 of F32 weights.
ConvertWeight stored_as(WeightType type);

/// A file that holds a model under the name of its architecture, matrices as `convert` makes them. It has no tokenizer.
/// What a reader of another architecture wants to know beside Config is added by hand.
GgufWriter to_gguf(const Model& model, const ConvertWeight& convert = keep_as_in_file);

/// Adds a vocabulary: `special` tokens first, then the 256 bytes in order, then what the merges make. A merge is two
/// byte strings. The first special token ends a text.
void add_tokenizer(GgufWriter& writer, const std::vector<std::string>& special,
                   const std::vector<std::pair<std::string, std::string>>& merges, const std::string& pre = "smollm");

template <class T>
std::string GgufWriter::value_bytes(const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return {reinterpret_cast<const char*>(&value), sizeof(T)};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value_bytes(std::uint64_t(value.size())) + value;
  } else {
    using Element = typename T::value_type;
    std::string out = value_bytes(type_code<Element>()) + value_bytes(std::uint64_t(value.size()));
    for (const auto& element : value) out += value_bytes(element);
    return out;
  }
}

template <class T>
constexpr std::uint32_t GgufWriter::type_code() {
  if constexpr (std::is_same_v<T, std::uint32_t>)
    return 4;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return 5;
  else if constexpr (std::is_same_v<T, float>)
    return 6;
  else if constexpr (std::is_same_v<T, bool>)
    return 7;
  else if constexpr (std::is_same_v<T, std::string>)
    return 8;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return 10;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return 11;
  else if constexpr (std::is_same_v<T, double>)
    return 12;
  else
    return 9;  // an array
}

}  // namespace waitless
