#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace waitless::simt::checked {

/// Stops kernels that loop without accessing memory or waiting, which no check would ever see.
class Watchdog {
 public:
  void begin_launch(double seconds);
  void end_launch();
  void note_progress() { progress_.store(progress_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

 private:
  void watch();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
  bool is_running_ = false;
  double seconds_ = 0;
  pthread_t runner_{};  // the OS thread that runs the kernel
  std::atomic<std::uint64_t> progress_{0};
};

Watchdog& watchdog();

}  // namespace waitless::simt::checked
