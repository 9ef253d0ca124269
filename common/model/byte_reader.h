#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "common/base/error.h"

namespace waitless {

static_assert(std::endian::native == std::endian::little, "GGUF files are little-endian, and so is every weight");

/// Reads little-endian values one after another from bytes that may end anywhere and claim anything.
/// Every method throws InputError "<name>: <reason>" instead of reading past the end.
class ByteReader {
 public:
  ByteReader(std::string name, std::span<const std::byte> bytes) : name_(std::move(name)), bytes_(bytes) {}

  /// Names the part of the file that is being read, for messages.
  void enter(const char* section) { section_ = section; }

  template <class T>
  T read() {
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }

  /// A count of things that take at least `bytes_each` bytes each; no more than the rest of the file can hold, so
  /// that memory for them can be reserved.
  std::uint64_t read_count(const char* things, std::uint64_t bytes_each) {
    const auto count = read<std::uint64_t>();
    if (count > remaining() / bytes_each) {
      fail("claims " + std::to_string(count) + " " + things + " in its " + section_ + ", but only " +
           std::to_string(remaining()) + " bytes of the file remain");
    }
    return count;
  }

  std::uint64_t position() const { return position_; }
  std::uint64_t remaining() const { return bytes_.size() - position_; }
  std::uint64_t size() const { return bytes_.size(); }

  [[noreturn]] void fail(const std::string& reason) const { throw InputError(name_ + ": " + reason); }

 private:
  const std::byte* take(std::uint64_t n) {
    if (n > remaining()) {
      fail(std::string("the file ends in the middle of its ") + section_ + ", at byte " + std::to_string(size()));
    }
    const std::byte* at = bytes_.data() + position_;
    position_ += n;
    return at;
  }

  std::string name_;
  std::span<const std::byte> bytes_;
  std::uint64_t position_ = 0;
  const char* section_ = "header";
};

template <>
inline bool ByteReader::read<bool>() {
  const auto value = read<std::uint8_t>();
  if (value > 1) fail("holds a boolean of value " + std::to_string(value) + " in its " + section_);
  return value == 1;
}

template <>
inline std::string ByteReader::read<std::string>() {
  const auto length = read_count("characters of one string", 1);
  return {reinterpret_cast<const char*>(take(length)), length};
}

}  // namespace waitless
