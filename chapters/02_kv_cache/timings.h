#pragma once

#include <functional>
#include <span>
#include <vector>

namespace waitless {

/// Seconds since some moment; never goes back. A test passes one of its own.
using Clock = std::function<double()>;

/// The clock of this machine.
Clock steady_clock();

/// How a user experiences a generation. Times in seconds.
struct Timings {
  double ttft = 0;          // time to first token, from the request
  double tpot = 0;          // time per output token after the first: (E2E - TTFT) / (n - 1); 0 if n < 2
  double e2e = 0;           // from the request to the last token
  std::vector<double> itl;  // inter-token latencies: the gaps between neighbours, n - 1 of them
};

/// Without tokens all are 0.
/// @param request when the request came   @param token_times when each token was there, [n], n may be 0
/// @throws std::invalid_argument if a time is earlier than the one before it, or the first than the request; two times
///         may be equal
Timings timings(double request, std::span<const double> token_times);

/// The nearest-rank percentile: the smallest value that at least p percent of all values do not exceed. In rising order
/// that is number ceil(p * n / 100) of the n values, counted from 1. (Multiply first: 0.07 * 100 is above 7 in binary.)
/// @param values in any order   @param p in (0, 100]
/// @throws std::invalid_argument if there are no values or p is out of its range
double percentile(std::span<const double> values, double p);

}  // namespace waitless
