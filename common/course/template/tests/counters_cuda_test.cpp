#include "common/testing/counters_test.h"
#include "common/testing/on_device.h"
#include "scale_columns_cuda.h"

namespace waitless {
namespace {

using simt::KernelCounters;

class CountersCuda : public CountersTest {};

// Grades exercise C@N@.1.
TEST_F(CountersCuda, ScaleColumnsGivesEachThreadOneElement) {
  // Oracle: by hand. 1000 threads read an element and a scale and write an element, once each.
  const OnDevice x(Matrix::Ones(8, 125)), scale(Matrix::Constant(1, 125, 2.0f));
  OnDevice out = OnDevice::unwritten(8, 125);
  scale_columns_cuda(x, scale, out);
  expect_no_copies_to_host();
  const KernelCounters counted = simt::counters("scale_columns_kernel");
  expect_shared_work(counted, 1000, 3);
  EXPECT_EQ(counted.of(x).read.accesses, 1000u) << "each element is needed once";
  EXPECT_EQ(counted.of(out).written.accesses, 1000u);
  EXPECT_EQ(counted.of(out).written.unique_bytes, out.size_bytes());
}

// Grades exercise C@N@.1.
TEST_F(CountersCuda, ScaleColumnsReadsAndWritesAlongRows) {
  // Oracle: by hand. The 32 floats of a request lie side by side: 4 sectors. Twice as many are let pass; a warp that
  // goes down a column takes 32.
  const OnDevice x(Matrix::Ones(64, 96)), scale(Matrix::Constant(1, 96, 2.0f));
  OnDevice out = OnDevice::unwritten(64, 96);
  scale_columns_cuda(x, scale, out);
  const KernelCounters counted = simt::counters("scale_columns_kernel");
  EXPECT_GT(counted.of(x).read.requests, 0u);
  EXPECT_LE(counted.of(x).read.sectors_per_request(), 8.0) << "neighbouring threads should read neighbours in x";
  EXPECT_LE(counted.of(out).written.sectors_per_request(), 8.0)
      << "neighbouring threads should write neighbours in out";
}

}  // namespace
}  // namespace waitless
