#pragma once

#include <span>

namespace waitless {

/// Seconds since some moment, by the clock of this machine that never goes back.
double seconds_now();

/// Tokens of one request that came at the same time: one, or as many as a step gave.
struct TokenEvent {
  double time = 0;  // in seconds
  int n_tokens = 1;
};

/// How a user experiences a generation. Times in seconds; 0 if there were too few tokens to tell.
struct Latency {
  double ttft = 0;     // time to first token, from the request
  double tpot = 0;     // time per output token: from the first event to the last, for each token after the first event
  double itl_p50 = 0;  // inter-token latency: the gaps between events, which is how long the text stands still
  double itl_p99 = 0;
};

/// Percentiles are nearest-rank.
/// @param request when the request came   @param events in the order in which they came
Latency latency(double request, std::span<const TokenEvent> events);

/// The mean of each number; all 0 if there are none.
Latency mean(std::span<const Latency> latencies);

}  // namespace waitless
