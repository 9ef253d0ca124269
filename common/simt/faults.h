#pragma once

#include "common/simt/finding.h"

namespace waitless::simt {

/// Installs the handler that turns two kinds of refused memory access into sentences: one by a kernel stops the kernel
/// with a finding, one by the host to device memory ends the process. Other faults go on to the handler that was there.
/// To be called on each OS thread that runs kernels or allocates device memory; more than once does no harm.
void install_fault_handler();

// For other signal handlers that interrupt a kernel; `context` is their third argument.

/// @return the address of the interrupted instruction, null where this system is not known
const void* interrupted_code(void* context);
/// Makes the interrupted thread block be given up when the handler returns, with what `describe` says then.
void give_up_interrupted_block(void* context, Finding (*describe)());

}  // namespace waitless::simt
