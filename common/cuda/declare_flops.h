#pragma once

#include <cuda_runtime.h>

#if defined(WAITLESS_SIMT)
#include "common/simt/counters.h"
#endif

namespace waitless {

/// Called by a launcher beside launch(): the floating-point operations of the next launch, by the chapter's formula.
/// simt counts bytes and requests, and prints this number beside them; on a GPU nothing happens.
inline void declare_flops([[maybe_unused]] double n) {
#if defined(WAITLESS_SIMT)
  simt::declare_flops(n);
#endif
}

}  // namespace waitless
