#pragma once

#include <cstdint>
#include <string>

namespace waitless::simt {

/// Makes kernels run past one __syncthreads() or __syncwarp() as if it had been deleted: what the checks then find
/// shows what it is for. The default comes from the environment,
/// WAITLESS_SIMT_SKIP_WAIT=solutions/00_warm_up/block_sum.cu:34.
/// @param file as in reports; "" to skip nothing
void skip_wait(const std::string& file, int line);

/// How often kernels have run past it.
std::uint64_t n_skipped_waits();

namespace checked {

bool is_skipped(const char* file, int line);

}  // namespace checked
}  // namespace waitless::simt
