#pragma once

#include "common/simt/counters.h"
#include "common/testing/cuda_test.h"

namespace waitless {

/// A test of what kernels do to memory: of simt's counters, which start at 0. Skipped where kernels are compiled
/// without, with the reason: so the other tests of an exercise can be passed on a GPU as well.
class CountersTest : public CudaTest {
 protected:
  void SetUp() override {
    if (const std::string reason = simt::why_no_counters(); !reason.empty()) GTEST_SKIP() << reason;
    simt::reset_counters();
  }

  /// Expects that since then nothing has come from the device to the host, so the device has done the work.
  void expect_no_copies_to_host() {
    EXPECT_EQ(simt::copy_counters().to_host, 0u) << "the call copies from the device: is the host doing the work?";
  }

  /// Expects that the kernel was launched and that its work is spread: at least so many threads made any access, and
  /// none of them more than so many to global memory.
  void expect_shared_work(const simt::KernelCounters& kernel, std::uint64_t n_active, std::uint64_t most_accesses) {
    ASSERT_GT(kernel.launches, 0u) << kernel.kernel << " was not launched: is the host doing the work?";
    EXPECT_GE(kernel.active_threads, n_active) << "only so many threads have something to do";
    EXPECT_LE(kernel.most_accesses_by_one, most_accesses) << "one thread does more than its share";
  }
};

}  // namespace waitless
