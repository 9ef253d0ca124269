#pragma once

#include <gtest/gtest.h>

#include <string>

#include "common/cuda/device.h"

#if defined(WAITLESS_SIMT)
#include "common/simt/settings.h"
#endif

namespace waitless::simt_test {

#if defined(WAITLESS_SIMT)

/// A test that runs with 1, 2 and 8 workers and with threads in forward, reverse and two random orders.
class KernelTest : public ::testing::TestWithParam<simt::Settings> {
 protected:
  void SetUp() override {
    before_ = simt::settings();
    simt::set_settings(GetParam());
  }
  void TearDown() override { simt::set_settings(before_); }

 private:
  simt::Settings before_{};
};

inline std::vector<simt::Settings> all_settings() {
  std::vector<simt::Settings> all;
  for (const int n_workers : {1, 2, 8}) {
    all.push_back({n_workers, simt::ThreadOrder::kForward, 0});
    all.push_back({n_workers, simt::ThreadOrder::kReverse, 0});
    all.push_back({n_workers, simt::ThreadOrder::kRandom, 1});
    all.push_back({n_workers, simt::ThreadOrder::kRandom, 2});
  }
  return all;
}

inline std::string settings_name(const ::testing::TestParamInfo<simt::Settings>& info) {
  const char* const orders[] = {"forward", "reverse", "random"};
  const std::string order = orders[static_cast<int>(info.param.order)];
  return order + (info.param.seed == 0 ? "" : std::to_string(info.param.seed)) + "_" +
         std::to_string(info.param.n_workers) + (info.param.n_workers == 1 ? "_worker" : "_workers");
}

#define INSTANTIATE_KERNEL_TEST(Suite)                                                            \
  INSTANTIATE_TEST_SUITE_P(Simt, Suite, ::testing::ValuesIn(waitless::simt_test::all_settings()), \
                           waitless::simt_test::settings_name)

#else

/// The same tests on a GPU; skipped, with the driver's reason, where there is none.
class KernelTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (const std::string reason = why_no_device(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

#define INSTANTIATE_KERNEL_TEST(Suite) INSTANTIATE_TEST_SUITE_P(Gpu, Suite, ::testing::Values(0))

#endif

}  // namespace waitless::simt_test
