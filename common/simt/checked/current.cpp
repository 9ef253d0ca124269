#include "common/simt/current.h"

#include "common/simt/device/built_in_variables.h"

namespace waitless::simt {

uint3 thread_index() { return current.thread.index; }
uint3 block_index() { return current.block_index; }
uint3 block_size_xyz() { return current.block_size; }
uint3 grid_size_xyz() { return current.grid_size; }

}  // namespace waitless::simt
