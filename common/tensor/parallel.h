#pragma once

#include "common/tensor/matrix.h"

namespace waitless {

/// How many threads parallel_for() uses: OMP_NUM_THREADS, or else as many as can run at once.
int max_threads();

/// Which of the threads of parallel_for() runs this, from 0 to max_threads() - 1: for memory that each has of its own.
int thread_index();

/// parallel_for() without its template.
void run_in_parallel(Index n, void (*call)(const void* body, Index i), const void* body);

/// Calls body(i) for every i in [0, n), spread over max_threads() threads. Iterations must not write to the same
/// memory. Inside of another parallel_for() it is a loop. The first exception that a body throws is thrown here again,
/// after all threads have finished.
///
/// The threads take iterations one after another, so one that the system keeps waiting has less to do, and one that
/// comes too late is not waited for.
template <class Body>
void parallel_for(Index n, const Body& body) {
  run_in_parallel(
      n, [](const void* of_type, Index i) { (*static_cast<const Body*>(of_type))(i); }, &body);
}

}  // namespace waitless
