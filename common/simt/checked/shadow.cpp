#include "common/simt/checked/shadow.h"

#include <sys/mman.h>

#include <new>
#include <utility>

#include "common/simt/address_space.h"

namespace waitless::simt::checked {
namespace {

std::size_t n_cells(std::size_t n_bytes, unsigned log2_bytes) { return (n_bytes >> log2_bytes) + 1; }

/// Cells take memory when they are first used, and are zero.
Cell* make_cells(std::size_t n) {
  return static_cast<Cell*>(reserve_addresses(n * sizeof(Cell), PROT_READ | PROT_WRITE));
}

}  // namespace

Shadow::Shadow(std::size_t n_bytes) : cells_(make_cells(n_cells(n_bytes, 2))), n_bytes_(n_bytes) {}

Shadow::~Shadow() {
  if (cells_ != nullptr) munmap(cells_, n_cells(n_bytes_, log2_bytes_) * sizeof(Cell));
}

void Shadow::swap(Shadow& other) noexcept {
  std::swap(cells_, other.cells_);
  std::swap(n_bytes_, other.n_bytes_);
  std::swap(log2_bytes_, other.log2_bytes_);
}

bool Shadow::is_written(std::size_t offset, std::size_t size) const {
  for (std::size_t cell = offset >> log2_bytes_; cell <= (offset + size - 1) >> log2_bytes_; ++cell) {
    if (cells_[cell].writer.is_empty()) return false;
  }
  return true;
}

void Shadow::refine(unsigned bytes_per_cell) {
  const unsigned log2_bytes = bytes_per_cell == 1 ? 0 : 1;
  Cell* const finer = make_cells(n_cells(n_bytes_, log2_bytes));
  const std::size_t n_old = n_cells(n_bytes_, log2_bytes_), ratio = std::size_t{1} << (log2_bytes_ - log2_bytes);
  for (std::size_t cell = 0; cell < n_old; ++cell) {
    const Cell& old = cells_[cell];
    if (old.writer.is_empty() && old.reader.is_empty()) continue;
    for (std::size_t i = 0; i < ratio && cell * ratio + i < n_cells(n_bytes_, log2_bytes); ++i) {
      finer[cell * ratio + i] = old;
    }
  }
  munmap(cells_, n_old * sizeof(Cell));
  cells_ = finer;
  log2_bytes_ = log2_bytes;
}

}  // namespace waitless::simt::checked
