#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "common/tensor/matrix.h"

namespace waitless {

/// For EXPECT_TRUE: whether every element of `got` is within `tolerance` of `expected`, absolute and relative to
/// max(1, |expected|). NaN is never near anything. The message names the first wrong element and `hint`, the
/// likely cause. With WAITLESS_SHOW_ERRORS in the environment, prints the largest error beside the tolerance.
template <class A, class B>
testing::AssertionResult near(const A& expected, const B& got, double tolerance, const char* hint = "") {
  if (expected.rows() != got.rows() || expected.cols() != got.cols()) {
    return testing::AssertionFailure() << "got shape [" << got.rows() << ", " << got.cols() << "], expected ["
                                       << expected.rows() << ", " << expected.cols() << "]. " << hint;
  }
  double largest = 0;
  for (Index r = 0; r < expected.rows(); ++r) {
    for (Index c = 0; c < expected.cols(); ++c) {
      const double e = double(expected(r, c)), g = double(got(r, c));
      const double error = std::abs(e - g) / std::max(1.0, std::abs(e));
      if (!(error <= tolerance)) {
        return testing::AssertionFailure()
               << "first wrong element [" << r << ", " << c << "]: expected " << e << ", got " << g << ", error "
               << error << ", tolerance " << tolerance << ". " << hint;
      }
      largest = std::max(largest, error);
    }
  }
  static const bool show = std::getenv("WAITLESS_SHOW_ERRORS") != nullptr;
  if (show) std::printf("largest error %.2g, tolerance %.2g\n", largest, tolerance);
  return testing::AssertionSuccess();
}

}  // namespace waitless
