#include <gtest/gtest.h>

#include <vector>

#include "common/cuda/cuda_check.h"
#include "common/cuda/device_buffer.h"
#include "common/simt/counters.h"
#include "tests/common/simt_checked/counted_kernels.h"
#include "tests/common/simt_checked/finding.h"

namespace waitless::simt_test {
namespace {

// Guards declared operations: they belong to the next launch, even if that is stopped.
TEST(DeclaredFlops, BelongToTheNextLaunch) {
  const float x = 1.0f;
  DeviceBuffer<float> y(32);
  simt::reset_counters();
  simt::declare_flops(1000);
  EXPECT_THROW(copy(y.data(), &x, 32), CudaError);
  const DeviceBuffer<float> good(std::vector<float>(32, 1.0f));
  simt::declare_flops(7);
  copy(y.data(), good.data(), 32);
  copy(y.data(), good.data(), 32);
  EXPECT_EQ(simt::counters("copy_kernel").declared_flops, 7);
}

// Guards the list of buffers that were not freed.
TEST(LiveBuffers, AreNamed) {
  const std::size_t before = simt::live_buffers().size();
  {
    const DeviceBuffer<float> forgotten(25);
    const std::vector<simt::LiveBuffer> live = simt::live_buffers();
    ASSERT_EQ(live.size(), before + 1);
    EXPECT_TRUE(contains(live.back().description, "forgotten (100 bytes, allocated at tests/common/simt_checked/"))
        << live.back().description;
  }
  EXPECT_EQ(simt::live_buffers().size(), before);
}

}  // namespace
}  // namespace waitless::simt_test
