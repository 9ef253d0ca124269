#pragma once

#include <vector>

namespace waitless::simt_test {

/// Grid (3,2,2) of thread blocks (4,2,2): for each thread, its position in memory order, 1000000 * block + thread.
std::vector<int> global_order();
/// blockDim and gridDim as thread (0,0,0) of each thread block (grid (2,1,3), block (5,6,1)) sees them.
std::vector<int> shapes();
/// Doubles n numbers 0 .. n - 1 with 4 thread blocks of 32 threads that stride over the array.
std::vector<int> grid_stride_double(int n);
/// Each thread changes its copy of the parameter; returns what each of 64 threads saw at first.
std::vector<int> parameters_are_copies();
/// Every one of n threads (thread blocks of 1) adds 1 to its element.
std::vector<int> one_thread_per_block(int n);

}  // namespace waitless::simt_test
