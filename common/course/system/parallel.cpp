#include "common/course/system/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "common/base/processors.h"

namespace waitless::course {

int default_jobs() { return std::min(usable_processors(), 4); }

void in_parallel(std::size_t n, int jobs, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr first_error;
  const auto take_turns = [&] {
    for (std::size_t i = next++; i < n; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first_error) first_error = std::current_exception();
        next = n;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int job = 0; job < jobs; ++job) threads.emplace_back(take_turns);
  for (std::thread& thread : threads) thread.join();
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace waitless::course
