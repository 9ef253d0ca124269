#pragma once

#include <string>

#include "common/simt/device/vector_types.h"
#include "common/simt/host/error_codes.h"

namespace waitless::simt {

/// Why a kernel was stopped: CUDA's error code, and what a person needs to know in one sentence.
struct Finding {
  cudaError_t error;
  std::string sentence;
};

/// A memory access in a kernel that the processor refused; noted in a signal handler, described later.
struct Fault {
  const void* address;  // what was accessed
  const void* code;     // the instruction
};

/// "thread block (1,0,0)": the one that runs, or ran last, on this OS thread.
std::string describe_block();
/// "thread block (1,0,0), thread (7,0,0)"
std::string describe_thread(const uint3& thread);
/// "saxpy_kernel" from the kernel's address, or "a kernel" where the debug information does not tell.
std::string describe_kernel(const void* kernel);

Finding describe_fault(const Fault& fault, const void* kernel, bool is_stack_overflow);

}  // namespace waitless::simt
