#include "common/simt/checked/watchdog.h"

#include <signal.h>

#include <chrono>

#include "common/simt/checked/checker.h"
#include "common/simt/faults.h"

namespace waitless::simt::checked {
namespace {

constexpr int kSignal = SIGURG;  // ignored unless somebody listens

/// Runs on the thread that runs the kernel, in the middle of it.
void interrupt(int, siginfo_t*, void* context) {
  if (!runs_kernel_code) return;  // it has just got on
  checker().note_no_progress(interrupted_code(context));
  give_up_interrupted_block(context, [] { return checker().describe_problem(); });
}

}  // namespace

Watchdog& watchdog() {
  static Watchdog& the_watchdog = *new Watchdog;  // its thread ends with the process
  return the_watchdog;
}

void Watchdog::begin_launch(double seconds) {
  const std::lock_guard lock(mutex_);
  runner_ = pthread_self();
  seconds_ = seconds;
  is_running_ = true;
  if (thread_.joinable()) return changed_.notify_one();
  struct sigaction action {};
  action.sa_sigaction = interrupt;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(kSignal, &action, nullptr);
  thread_ = std::thread([this] { watch(); });
}

void Watchdog::end_launch() {
  const std::lock_guard lock(mutex_);
  is_running_ = false;
}

void Watchdog::watch() {
  using Clock = std::chrono::steady_clock;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_running_; });
    std::uint64_t seen = 0;
    Clock::time_point since = Clock::now();
    while (is_running_) {
      const std::uint64_t now = progress_.load(std::memory_order_relaxed) + checker().n_accesses();
      if (now != seen) {
        seen = now;
        since = Clock::now();
      } else if (Clock::now() - since > std::chrono::duration<double>(seconds_)) {
        pthread_kill(runner_, kSignal);
      }
      changed_.wait_for(lock, std::chrono::milliseconds(20));
    }
  }
}

}  // namespace waitless::simt::checked
