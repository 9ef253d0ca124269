#pragma once

#include <vector>

namespace waitless::simt_test {

/// Results of the integer atomics after 1000 threads, numbered from 0, have used them.
struct IntegerAtomics {
  unsigned long long added, subtracted, smallest, largest, all_ands, all_ors, all_xors, sum_of_exchanged;
};
IntegerAtomics integer_atomics_int();
IntegerAtomics integer_atomics_unsigned();
IntegerAtomics integer_atomics_unsigned_long_long();
/// 1000 threads add 0.25 to a float and a double, in thread blocks of 100; the sums, and the last exchanged float.
std::vector<double> floating_point_atomics();
/// What atomicAdd returns to 256 threads, sorted.
std::vector<int> tickets();
/// 500 threads multiply a number by 3 modulo 65537, by atomicCAS: the product.
unsigned product_by_cas();
/// A counter modulo 10 up and one modulo 7 down, 103 times.
std::vector<unsigned> wrapping_counters();
/// 12 thread blocks of 64 add to one counter in shared memory each, then one in global memory.
std::vector<int> shared_counters();

}  // namespace waitless::simt_test
