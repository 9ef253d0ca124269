#include "common/testing/mistakes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "common/testing/guarded.h"

namespace waitless {
namespace {

double error_of(double expected, double got) {
  if (expected == got) return 0;  // also of infinities
  return std::abs(expected - got) / std::max(1.0, std::abs(expected));
}

/// Whether all numbers are those of the mistake. NaN is as good as NaN here.
bool is_made(const Mistake& mistake, const RowMajorXd& got, double tolerance) {
  if (mistake.result.rows() != got.rows() || mistake.result.cols() != got.cols()) return false;
  const double within = mistake.tolerance > 0 ? mistake.tolerance : 4 * tolerance;
  for (Index i = 0; i < got.size(); ++i) {
    const double m = mistake.result.data()[i], g = got.data()[i];
    if (std::isnan(m) && std::isnan(g)) continue;
    if (!(error_of(m, g) <= within)) return false;
  }
  return true;
}

/// As many digits as a float has.
std::string digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", x);
  return text;
}

std::string range(const char* one, const char* several, Index first, Index last) {
  if (first == last) return std::string(one) + " " + std::to_string(first);
  return std::string(several) + " " + std::to_string(first) + " .. " + std::to_string(last);
}

}  // namespace

testing::AssertionResult matches_in_double(const RowMajorXd& expected, const RowMajorXd& got, double tolerance,
                                           const std::vector<Mistake>& mistakes) {
  if (expected.rows() != got.rows() || expected.cols() != got.cols()) {
    return testing::AssertionFailure() << "got shape [" << got.rows() << ", " << got.cols() << "], expected ["
                                       << expected.rows() << ", " << expected.cols() << "]";
  }
  Index n_wrong = 0, n_unwritten = 0, n_nan = 0;
  Index first = 0, first_row = got.rows(), last_row = 0, first_col = got.cols(), last_col = 0;
  double largest = 0;
  for (Index r = 0; r < got.rows(); ++r) {
    for (Index c = 0; c < got.cols(); ++c) {
      const double error = error_of(expected(r, c), got(r, c));
      if (error <= tolerance) {
        largest = std::max(largest, error);
        continue;
      }
      if (n_wrong++ == 0) first = r * got.cols() + c;
      n_unwritten += got(r, c) == Guarded::kUnwritten;
      n_nan += std::isnan(got(r, c));
      first_row = std::min(first_row, r), last_row = std::max(last_row, r);
      first_col = std::min(first_col, c), last_col = std::max(last_col, c);
    }
  }
  if (n_wrong == 0) {
    static const bool show = std::getenv("WAITLESS_SHOW_ERRORS") != nullptr;
    if (show) std::printf("largest error %.2g, tolerance %.2g\n", largest, tolerance);
    return testing::AssertionSuccess();
  }

  testing::AssertionResult failure = testing::AssertionFailure();
  failure << n_wrong << " of " << got.size() << " elements are wrong, in " << range("row", "rows", first_row, last_row)
          << " of " << got.rows() << " and " << range("column", "columns", first_col, last_col) << " of " << got.cols()
          << ". The first is [" << first / got.cols() << ", " << first % got.cols() << "]: expected "
          << digits(expected.data()[first]) << ", got " << digits(got.data()[first]) << ", error "
          << digits(error_of(expected.data()[first], got.data()[first])) << ", tolerance " << digits(tolerance) << ".";
  std::string made;
  for (const Mistake& mistake : mistakes) {
    if (is_made(mistake, got, tolerance)) made += (made.empty() ? " if " : ", or if ") + mistake.description;
  }
  if (n_unwritten > 0) {
    failure << " " << n_unwritten << " of them still hold the " << Guarded::kUnwritten
            << " from before the call: they were not written.";
  } else if (!made.empty()) {
    failure << " These are the numbers that come out" << made << ".";
  } else if (n_nan > 0) {
    failure << " " << n_nan << " of them are NaN: 0 / 0, infinity - infinity, or memory that is not part of the input.";
  }
  return failure;
}

}  // namespace waitless
