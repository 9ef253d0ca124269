#pragma once

#include <vector>

#include "common/simt/host/error_codes.h"

namespace waitless::simt_test {

/// A kernel that does what it must not. The line of its fault says `BUG name` in the source, and where two threads are
/// to blame, the other line says `OTHER name`.
struct InjectedBug {
  const char* name;
  void (*run)();  // throws CudaError
  cudaError_t error;
  const char* says;  // a part of the report
};

std::vector<InjectedBug> memory_bugs();
std::vector<InjectedBug> race_bugs();
std::vector<InjectedBug> wait_bugs();

}  // namespace waitless::simt_test
