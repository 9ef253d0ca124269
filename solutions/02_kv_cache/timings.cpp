#include "timings.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "common/base/not_implemented.h"
#include "common/tensor/matrix.h"

namespace waitless {

Clock steady_clock() {
  return [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); };
}

Timings timings(double request, std::span<const double> token_times) {
  // EXERCISE(2.7): the definitions of the header; without tokens everything stays 0.
  // SOLUTION_BEGIN(2.7)
  Timings result;
  double before = request;
  for (const double time : token_times) {
    check_argument(time >= before, "timings: the clock goes back");
    before = time;
  }
  const std::size_t n = token_times.size();
  if (n == 0) return result;
  result.ttft = token_times.front() - request;
  result.e2e = token_times.back() - request;
  for (std::size_t i = 1; i < n; ++i) result.itl.push_back(token_times[i] - token_times[i - 1]);
  if (n > 1) result.tpot = (result.e2e - result.ttft) / double(n - 1);
  return result;
  // SOLUTION_END(2.7)
}

double percentile(std::span<const double> values, double p) {
  // EXERCISE(2.7): sort a copy; the rank is p percent of n, rounded up.
  // SOLUTION_BEGIN(2.7)
  check_argument(!values.empty(), "percentile: there are no values");
  check_argument(p > 0 && p <= 100, "percentile: p must be in (0, 100]");
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto rank = std::size_t(std::ceil(p * double(sorted.size()) / 100));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
  // SOLUTION_END(2.7)
}

}  // namespace waitless
