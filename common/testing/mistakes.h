#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/tensor/matrix.h"

namespace waitless {

using RowMajorXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A mistake that is often made, and the numbers that come out of it.
struct Mistake {
  std::string description;  // completes "these are the numbers that come out if ..."
  RowMajorXd result;
  double tolerance = 0;  // within which the numbers must be those; 0: a few times that of the comparison
};

testing::AssertionResult matches_in_double(const RowMajorXd& expected, const RowMajorXd& got, double tolerance,
                                           const std::vector<Mistake>& mistakes);

/// For EXPECT_TRUE: whether every element of `got` is within `tolerance` of `expected`, absolute and relative to
/// max(1, |expected|). NaN is near nothing. Otherwise the message says which rows and columns are wrong, names the
/// first wrong element, and gives a cause only if the numbers show it: elements that still hold Guarded::kUnwritten,
/// the numbers of one of the `mistakes`, NaN.
template <class A, class B>
testing::AssertionResult matches(const Eigen::MatrixBase<A>& expected, const Eigen::MatrixBase<B>& got,
                                 double tolerance, const std::vector<Mistake>& mistakes = {}) {
  return matches_in_double(expected.derived().eval().template cast<double>(),
                           got.derived().eval().template cast<double>(), tolerance, mistakes);
}

/// A row of numbers, for matches().
inline RowMajorXd as_row(const std::vector<float>& numbers) {
  return Eigen::Map<const Eigen::RowVectorXf>(numbers.data(), Index(numbers.size())).cast<double>();
}

}  // namespace waitless
