#pragma once

#include <cstddef>
#include <functional>

namespace waitless::course {

/// How many programs to run at a time: one a processor, at most four.
int default_jobs();

/// Calls work(i) for every i < n, from `jobs` threads. The first exception stops what has not begun, and is thrown
/// again.
void in_parallel(std::size_t n, int jobs, const std::function<void(std::size_t i)>& work);

}  // namespace waitless::course
