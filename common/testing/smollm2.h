#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "common/model/find_model.h"

namespace waitless {

/// Base of tests that need the real model, which is not part of the repository. Without it they are skipped, but
/// fail where it must be present: if CI=true or WAITLESS_REQUIRE_SMOLLM2=1 is set.
class NeedsSmolLm2 : public testing::Test {
 protected:
  void SetUp() override {
    if (std::filesystem::exists(path_)) return;
    const auto is_set = [](const char* name, const std::string& to) {
      const char* value = std::getenv(name);
      return value != nullptr && value == to;
    };
    if (is_set("CI", "true") || is_set("WAITLESS_REQUIRE_SMOLLM2", "1")) {
      FAIL() << path_ << " is missing; get it with: ./course fetch smollm2";
    }
    GTEST_SKIP() << path_ << " is missing; get it with: ./course fetch smollm2";
  }

  const std::filesystem::path path_ = cache_folder() / kSmolLm2File;
};

}  // namespace waitless
