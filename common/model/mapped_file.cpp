#include "common/model/mapped_file.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>

#include "common/base/error.h"

#if __has_include(<sys/mman.h>)
#define WAITLESS_HAS_MMAP 1
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace waitless {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& reason) {
  throw InputError(path.string() + ": " + reason);
}

/// The size of a regular file that is not empty.
std::size_t checked_size(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) fail(path, "there is no such file");
  if (error) fail(path, error.message());
  if (std::filesystem::is_directory(status)) fail(path, "is a folder, not a file");
  if (!std::filesystem::is_regular_file(status)) fail(path, "is not a regular file");
  const auto size = std::filesystem::file_size(path, error);
  if (error) fail(path, error.message());
  if (size == 0) fail(path, "the file is empty");
  return std::size_t(size);
}

}  // namespace

#ifdef WAITLESS_HAS_MMAP

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const std::size_t size = checked_size(path);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, std::strerror(errno));
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int mapping_error = errno;
  ::close(descriptor);
  if (data == MAP_FAILED) fail(path, std::strerror(mapping_error));
  return std::shared_ptr<const MappedFile>(new MappedFile(static_cast<std::byte*>(data), size));
}

MappedFile::~MappedFile() { ::munmap(data_, size_); }

void MappedFile::release(std::span<const std::byte> part) const {
  if (part.empty()) return;
  const auto page = std::uintptr_t(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(part.data()) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(part.data() + part.size());
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

#else

constexpr std::align_val_t kAlignment{64};

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const std::size_t size = checked_size(path);
  std::ifstream in(path, std::ios::binary);
  const std::shared_ptr<MappedFile> file(
      new MappedFile(static_cast<std::byte*>(::operator new(size, kAlignment)), size));
  in.read(reinterpret_cast<char*>(file->data_), std::streamsize(size));
  if (!in) fail(path, "cannot be read");
  return file;
}

MappedFile::~MappedFile() { ::operator delete(data_, kAlignment); }

void MappedFile::release(std::span<const std::byte>) const {}

#endif

}  // namespace waitless
