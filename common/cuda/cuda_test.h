#pragma once

#include <gtest/gtest.h>

#include <string>

#include "common/cuda/device.h"

namespace waitless {

/// A test that runs kernels: on simt, or on a GPU. Where neither is there it is skipped with the driver's reason.
class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_no_device(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

}  // namespace waitless
