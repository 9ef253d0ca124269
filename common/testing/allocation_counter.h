#pragma once

#include <cstdint>

namespace waitless {

/// How many heap allocations (malloc and everything built on it) all threads have made so far.
/// Counting needs glibc; elsewhere this is always 0 and `counts_allocations` is false.
std::int64_t allocation_count();

/// How many bytes those allocations asked for, whether or not they have been freed since.
std::int64_t allocated_bytes();
extern const bool counts_allocations;

}  // namespace waitless
