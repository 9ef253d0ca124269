#pragma once

/// The built-in variables of the CUDA thread that runs on this OS thread.

#include "common/simt/device/vector_types.h"
#include "common/simt/thread_local.h"

namespace waitless::simt {

class ThreadBlock;

/// threadIdx, and the same index counted along x first, then y, then z. Copied as one 16-byte word.
struct alignas(16) ThreadIndex {
  uint3 index;
  unsigned linear;
};

struct Current {
  ThreadIndex thread;
  uint3 block_index;
  uint3 block_size;
  uint3 grid_size;
  void* dynamic_shared_memory;
  ThreadBlock* block;  // null outside kernels
};

extern WAITLESS_SIMT_THREAD_LOCAL Current current;

}  // namespace waitless::simt
