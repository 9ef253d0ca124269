#pragma once

#include <cstddef>
#include <cstdint>

#include "common/simt/checked/record.h"

namespace waitless::simt::checked {

/// The cells of a range of memory: one for every 4 bytes, until a smaller access comes; then one for every 2 or 1.
class Shadow {
 public:
  Shadow() = default;
  explicit Shadow(std::size_t n_bytes);
  ~Shadow();
  Shadow(Shadow&& other) noexcept { swap(other); }
  Shadow& operator=(Shadow&& other) noexcept {
    swap(other);
    return *this;
  }

  /// The cells of size bytes at offset, a multiple of size.
  struct Range {
    Cell *begin, *end;
  };
  Range cells(std::size_t offset, unsigned size) {
    if (size < bytes_per_cell()) [[unlikely]]
      refine(size);
    Cell* const first = cells_ + (offset >> log2_bytes_);
    return {first, first + (size >> log2_bytes_)};
  }
  unsigned bytes_per_cell() const { return 1u << log2_bytes_; }

  /// True if a kernel has ever written all bytes.
  bool is_written(std::size_t offset, std::size_t size) const;

 private:
  void swap(Shadow& other) noexcept;
  /// Each cell becomes several, with the same content.
  void refine(unsigned bytes_per_cell);

  Cell* cells_ = nullptr;
  std::size_t n_bytes_ = 0;
  unsigned log2_bytes_ = 2;
};

}  // namespace waitless::simt::checked
