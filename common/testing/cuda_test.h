#pragma once

#include <gtest/gtest.h>

#include <string>

#include "common/cuda/device.h"
#include "common/cuda/device_buffer.h"

namespace waitless {

/// A test of kernels: on simt, or on a GPU; skipped in the driver's words where the course was built for a GPU and none
/// answers.
class CudaTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_no_device(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

}  // namespace waitless
