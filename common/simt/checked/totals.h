#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simt/counters.h"

namespace waitless::simt::checked {

/// Adds one launch to what counters() answers.
/// @param allocations the numbers of launch.buffers' allocations
void add_to_totals(const void* kernel, const KernelCounters& launch, const std::vector<std::uint32_t>& allocations);

/// What declare_flops() said of the launch that begins.
double take_declared_flops();

void add_launch(const void* stream);
void add_copy(std::size_t n_bytes, bool to_device, bool from_device, const void* stream);
void add_fill(std::size_t n_bytes, const void* stream);
void add_allocation(std::size_t n_bytes);
void add_free();

}  // namespace waitless::simt::checked
