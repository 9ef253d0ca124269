#pragma once

#include <exception>

#include "common/tensor/matrix.h"

namespace waitless {

/// Calls body(i) for every i in [0, n), spread over the OpenMP threads (OMP_NUM_THREADS sets how many).
/// Iterations must not write to the same memory. The first exception that a body throws is rethrown here
/// after all threads have finished: an exception must not leave an OpenMP region by itself.
template <class Body>
void parallel_for(Index n, const Body& body) {
  std::exception_ptr failure;
#pragma omp parallel for schedule(static) if (n > 1)
  for (Index i = 0; i < n; ++i) {
    try {
      body(i);
    } catch (...) {
#pragma omp critical(waitless_parallel_for)
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace waitless
