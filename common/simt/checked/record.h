#pragma once

#include <cstdint>

namespace waitless::simt::checked {

/// Moments are numbered through the whole run: a new number begins whenever threads synchronize.
using Stamp = std::uint32_t;

/// One access, in 8 bytes: when, by which thread of its block, and from which instruction. The stamp also tells the
/// thread block and the launch. All bits 0: no access.
class Record {
 public:
  static constexpr unsigned kMaxSites = 1u << 21;

  Record() = default;
  /// @param is_strong atomic, or volatile in global memory: two such accesses never race
  Record(Stamp stamp, unsigned thread, bool is_strong, unsigned site)
      : bits_(std::uint64_t{stamp} << 32 | thread << 22 | std::uint64_t{is_strong} << 21 | site) {}

  Stamp stamp() const { return static_cast<Stamp>(bits_ >> 32); }
  unsigned thread() const { return static_cast<unsigned>(bits_ >> 22) & 1023; }
  bool is_strong() const { return (bits_ >> 21 & 1) != 0; }
  unsigned site() const { return static_cast<unsigned>(bits_) & (kMaxSites - 1); }
  void set_strong() { bits_ |= 1u << 21; }
  bool is_empty() const { return bits_ == 0; }
  /// The same thread, and nothing has been synchronized in between.
  bool is_same_moment(const Record& other) const { return bits_ >> 22 == other.bits_ >> 22; }

 private:
  std::uint64_t bits_;
};

/// What is remembered about a few bytes of memory.
///
/// The last writer is enough, since an earlier one that is not ordered before it was a race already. Of readers that
/// are not ordered among each other it takes two of the running block, in different warps if there are such, and one of
/// another block: whoever writes without being ordered after all readers then conflicts with one of them. Three or more
/// readers in one warp, of which a partial __syncwarp orders only some before a write, are the exception.
struct Cell {
  Record writer;
  Record plain_writer;           // that did not write atomically
  Record reader, second_reader;  // second_reader counts only if it is of the same block as reader
  Record other_block_reader;     // of the same launch
};

}  // namespace waitless::simt::checked
