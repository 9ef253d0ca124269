#include "common/run/latency.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace waitless {
namespace {

/// @param ascending any values, 0 if there are none
double percentile(const std::vector<double>& ascending, int p) {
  if (ascending.empty()) return 0;
  return ascending[(ascending.size() * std::size_t(p) + 99) / 100 - 1];
}

}  // namespace

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Latency latency(double request, std::span<const TokenEvent> events) {
  Latency result;
  if (events.empty()) return result;
  result.ttft = events.front().time - request;
  std::vector<double> gaps;
  int n_later = 0;  // tokens after those of the first event
  for (std::size_t i = 1; i < events.size(); ++i) {
    gaps.push_back(events[i].time - events[i - 1].time);
    n_later += events[i].n_tokens;
  }
  if (n_later > 0) result.tpot = (events.back().time - events.front().time) / n_later;
  std::sort(gaps.begin(), gaps.end());
  result.itl_p50 = percentile(gaps, 50);
  result.itl_p99 = percentile(gaps, 99);
  return result;
}

Latency mean(std::span<const Latency> latencies) {
  Latency sum;
  for (const Latency& it : latencies) {
    for (double Latency::*const number : {&Latency::ttft, &Latency::tpot, &Latency::itl_p50, &Latency::itl_p99})
      sum.*number += it.*number / double(latencies.size());
  }
  return sum;
}

}  // namespace waitless
