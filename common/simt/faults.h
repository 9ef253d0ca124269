#pragma once

namespace waitless::simt {

/// Installs the handler that turns two kinds of refused memory access into sentences: one by a kernel stops the kernel
/// with a finding, one by the host to device memory ends the process. Other faults go on to the handler that was there.
/// To be called on each OS thread that runs kernels or allocates device memory; more than once does no harm.
void install_fault_handler();

}  // namespace waitless::simt
