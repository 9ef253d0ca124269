#pragma once

#include <cstddef>
#include <string>

namespace waitless {

/// Launches a kernel that does nothing, with a one-dimensional shape.
void launch_empty(unsigned grid, unsigned block, std::size_t shared_bytes = 0);
/// The same in three dimensions.
void launch_empty_3d(unsigned grid_y, unsigned block_z);
/// Allows the empty kernel `limit` bytes of dynamic shared memory.
void allow_shared_bytes(int limit);
/// Calls an exercise that is not written, on the host side of a .cu file.
void call_unwritten_exercise();

}  // namespace waitless
