#pragma once

namespace waitless {

/// What this machine can do at best, measured now with all OpenMP threads. Both figures drift with whatever else
/// runs: compare only what was measured in the same run.
struct MachineLimits {
  double read_bandwidth = 0;  // bytes per second from main memory: the best of several readers
  double peak_flops = 0;      // float32 operations per second of a large Eigen GEMM
};

/// Takes about half a second.
MachineLimits measure_machine();

/// Bytes of the last-level cache of this machine's first processor, as the system tells them; 0 if it does not.
double last_level_cache_bytes();

}  // namespace waitless
