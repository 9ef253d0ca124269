#pragma once

#include <functional>

namespace waitless::simt {

/// Calls task(0) on the calling thread and task(1) .. task(n_workers - 1) on threads that are kept for the next time,
/// and returns when all have finished. The tasks must not throw. One call at a time.
void run_on_workers(int n_workers, const std::function<void(int worker)>& task);

}  // namespace waitless::simt
