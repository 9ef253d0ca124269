#include "common/simt/report.h"

#include <utility>

namespace waitless::simt {
namespace {

// One host thread's errors are no other's, as in CUDA.
thread_local Finding pending{cudaSuccess, ""};

}  // namespace

cudaError_t report(const Finding& finding) {
  if (pending.error == cudaSuccess) pending = finding;
  return finding.error;
}

cudaError_t take_last_error() { return std::exchange(pending.error, cudaSuccess); }

cudaError_t last_error() { return pending.error; }

std::string take_report() {
  if (pending.error != cudaSuccess) return pending.sentence;
  return std::exchange(pending.sentence, "");
}

}  // namespace waitless::simt
