#include "tests/common/simt/atomic_kernels.h"

#include <numeric>

#include "tests/common/simt/kernel_test.h"

namespace waitless::simt_test {
namespace {

/// By hand, for threads 0 .. 999.
void expect_integer_results(const IntegerAtomics& result) {
  EXPECT_EQ(result.added, 499500u);   // 999 * 1000 / 2
  EXPECT_EQ(result.smallest, 4001u);  // 5000 - 999
  EXPECT_EQ(result.largest, 999u);
  EXPECT_EQ(result.all_ands, 0u);               // each of 31 bits is cleared by some thread
  EXPECT_EQ(result.all_ors, 0xffffu);           // each of 16 bits is set by some thread
  EXPECT_EQ(result.all_xors, 0u);               // 0 ^ .. ^ 4 n + 3 is 0, and 999 = 4 * 249 + 3
  EXPECT_EQ(result.sum_of_exchanged, 500500u);  // 1 + .. + 1000, whichever came last
}

}  // namespace

class Atomics : public KernelTest {};
INSTANTIATE_KERNEL_TEST(Atomics);

// Guards the atomics on int.
TEST_P(Atomics, OfIntLoseNoUpdate) {
  const IntegerAtomics result = integer_atomics_int();
  expect_integer_results(result);
  EXPECT_EQ(result.subtracted, 8000u);  // 10000 - 2 * 1000
}

// Guards the atomics on unsigned.
TEST_P(Atomics, OfUnsignedLoseNoUpdate) {
  const IntegerAtomics result = integer_atomics_unsigned();
  expect_integer_results(result);
  EXPECT_EQ(result.subtracted, 8000u);
}

// Guards the atomics on unsigned long long, for which CUDA has no atomicSub.
TEST_P(Atomics, OfUnsignedLongLongLoseNoUpdate) { expect_integer_results(integer_atomics_unsigned_long_long()); }

// Guards atomicAdd on float and double, atomicExch on float.
TEST_P(Atomics, OfFloatAndDoubleLoseNoUpdate) {
  // By hand: 1000 * 0.25 is 250, exact in both types; ten thread blocks add 2.5.
  EXPECT_EQ(floating_point_atomics(), (std::vector<double>{250.0, 250.0, 25.0}));
}

// Guards the returned old value: each thread gets a different one.
TEST_P(Atomics, AddReturnsEachOldValueOnce) {
  std::vector<int> all(256);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(tickets(), all);
}

// Guards atomicCAS in its usual loop.
TEST_P(Atomics, CompareAndSwapBuildsAnyUpdate) {
  // By hand: 3 ^ 500 modulo 65537, computed the slow way.
  unsigned product = 1;
  for (int i = 0; i < 500; ++i) product = product * 3 % 65537;
  EXPECT_EQ(product_by_cas(), product);
}

// Guards atomicInc and atomicDec.
TEST_P(Atomics, CountersWrapAround) {
  // By hand: 103 = 10 * 10 + 3 steps up from 0 modulo 10; 103 = 7 * 14 + 5 steps down from 0 modulo 7, 7 - 5 = 2.
  EXPECT_EQ(wrapping_counters(), (std::vector<unsigned>{3, 2}));
}

// Guards atomics in shared memory.
TEST_P(Atomics, WorkInSharedMemory) {
  // By hand: 0 + .. + 63 = 2016 in each of 12 thread blocks, 24192 in all.
  std::vector<int> expected(12, 2016);
  expected.push_back(24192);
  EXPECT_EQ(shared_counters(), expected);
}

}  // namespace waitless::simt_test
