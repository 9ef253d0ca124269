#pragma once

#include <string>

#include "common/simt/finding.h"

namespace waitless::simt {

/// Notes an error of a launch or of a call, for cudaGetLastError() and take_report(). The first one counts until it is
/// taken, as in CUDA; unlike in CUDA the device works on after a kernel was stopped.
/// @return the error
cudaError_t report(const Finding& finding);

/// What cudaGetLastError() and cudaPeekAtLastError() answer.
cudaError_t take_last_error();
cudaError_t last_error();

/// The sentence that belongs to the last error taken, once; else empty. cuda_check() appends it to its message.
std::string take_report();

}  // namespace waitless::simt
