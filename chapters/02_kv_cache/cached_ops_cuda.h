#pragma once

#include <functional>

#include "01_naive_generation/forward_cuda.h"
#include "device_kv_cache.h"

namespace waitless {

/// cached_ops() on the device: `base` with another attention, over a cache. Before each step the cache deals slots and
/// the tiles are planned, on the host; slots and plan go to the device in one copy. In a layer, the rows are appended,
/// and then decode attention and prefill attention serve theirs. The cache must live as long as the ops.
DeviceOps cached_ops_cuda(DeviceKvCache& cache, const DeviceOps& base = naive_ops_cuda());

/// How a generation makes its ops for its cache, as OpsOfCache.
using DeviceOpsOfCache = std::function<DeviceOps(DeviceKvCache&)>;

inline DeviceOps default_ops_of_cache_cuda(DeviceKvCache& cache) { return cached_ops_cuda(cache); }

}  // namespace waitless
