#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "common/tensor/matrix.h"

namespace waitless {

/// For EXPECT_TRUE: whether every element of `got` is within `tolerance` of `expected`, absolute and relative to
/// max(1, |expected|). NaN is never near anything. The message names the first wrong element and `hint`, the
/// likely cause.
template <class A, class B>
testing::AssertionResult near(const A& expected, const B& got, double tolerance, const char* hint = "") {
  if (expected.rows() != got.rows() || expected.cols() != got.cols()) {
    return testing::AssertionFailure() << "got shape [" << got.rows() << ", " << got.cols() << "], expected ["
                                       << expected.rows() << ", " << expected.cols() << "]. " << hint;
  }
  for (Index r = 0; r < expected.rows(); ++r) {
    for (Index c = 0; c < expected.cols(); ++c) {
      const double e = double(expected(r, c)), g = double(got(r, c));
      const double error = std::abs(e - g), allowed = tolerance * std::max(1.0, std::abs(e));
      if (!(error <= allowed)) {
        return testing::AssertionFailure() << "first wrong element [" << r << ", " << c << "]: expected " << e
                                           << ", got " << g << ", error " << error << ", tolerance " << allowed
                                           << ". " << hint;
      }
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace waitless
