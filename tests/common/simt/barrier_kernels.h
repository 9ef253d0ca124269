#pragma once

#include <vector>

namespace waitless::simt_test {

/// out[t] = t of the mirrored thread, exchanged through shared memory by n_threads threads.
std::vector<int> mirror(int n_threads);
/// A token goes around a ring of 100 threads `rounds` times, one step a barrier.
std::vector<int> ring(int rounds);
/// What the three voting barriers return to each of 70 threads: count, and, or; then the same after 30 have exited.
std::vector<int> votes();
/// 48 of 64 threads return at once; the others exchange values over three barriers.
std::vector<int> exited_threads_are_not_waited_for();
/// Half of the threads reach the barrier on one line, half on another.
std::vector<int> barrier_in_both_branches();
/// Thread 0 of each thread block publishes a number, then a flag; 0 if a reader found the flag without the number.
std::vector<int> fences();

}  // namespace waitless::simt_test
