#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace waitless {

/// The bytes of a file, read-only. Where the system can (POSIX), the file is mapped: a page is read from disk when
/// it is first touched, and programs that map the same file share its memory. Elsewhere it is read as a whole.
class MappedFile {
 public:
  /// @throws InputError "<path>: <reason>" if it is missing, empty, unreadable or not a regular file
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }

  /// Lets the system take back the memory of a part that will hardly be read again. It can still be read: its
  /// pages then come from the file once more.
  void release(std::span<const std::byte> part) const;

 private:
  MappedFile(std::byte* data, std::size_t size) : data_(data), size_(size) {}

  std::byte* data_;
  std::size_t size_;
};

}  // namespace waitless
