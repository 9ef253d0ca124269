#include "common/tensor/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <latch>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "common/base/processors.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace waitless {
namespace {

using Clock = std::chrono::steady_clock;

// So long a thread looks for something to do before it sleeps: longer than most pauses between two loops of a model. It
// yields meanwhile, since it must not be in the way of the threads of OpenMP, on which Eigen computes its products.
constexpr std::chrono::microseconds kSpin{300};
constexpr int kParts = 4;  // that a thread's share of a loop has: of fewer, the others could not relieve it of so much

thread_local int this_thread = 0;
thread_local bool is_in_loop = false;

/// Eigen makes use of OpenMP for large products, but not of a thread that is told to be alone.
int use_openmp_threads([[maybe_unused]] int n) {
#if defined(_OPENMP)
  const int before = omp_get_max_threads();
  omp_set_num_threads(n);
  return before;
#else
  return 1;
#endif
}

int wanted_threads() {
  const char* const wanted = std::getenv("OMP_NUM_THREADS");
  const int n = wanted ? std::atoi(wanted) : 0;
  return n > 0 ? n : usable_processors();
}

/// Looks at a condition for a short while.
/// @return whether it held
template <class Condition>
bool spin_until(const Condition& holds) {
  for (const auto end = Clock::now() + kSpin; !holds();) {
    if (Clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

/// Threads that help with loops. One loop at a time is open; a thread that finds it open enters, takes parts of it
/// until none is left, and leaves. The owner of the loop closes it when it finds no part left, and waits only for those
/// inside.
class Helpers {
 public:
  explicit Helpers(int n_threads) : n_threads_(start(n_threads)), shares_(std::size_t(n_threads_)) {
    use_openmp_threads(n_threads_);
  }

  int n_threads() const { return n_threads_; }

  void run(Index n, void (*call)(const void*, Index), const void* body) {
    const std::unique_lock owner(owner_, std::try_to_lock);
    if (!owner) {  // another thread's loop is open
      for (Index i = 0; i < n; ++i) call(body, i);
      return;
    }
    call_ = call;
    body_ = body;
    part_ = std::max<Index>(1, n / (n_threads_ * kParts));
    for (int i = 0; i < n_threads_; ++i) {
      shares_[i].next.store(n * i / n_threads_, std::memory_order_relaxed);
      shares_[i].end = n * (i + 1) / n_threads_;
    }
    failure_ = nullptr;
    open();
    const int before = use_openmp_threads(1);
    take_shares();
    use_openmp_threads(before);
    close();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct alignas(64) Share {  // of a thread, in a cache line of its own
    std::atomic<Index> next{0};
    Index end = 0;
  };

  // state_: the number of the loop, whether it is open, and how many helpers are inside.
  static constexpr std::uint64_t kInside = 0xffff, kOpen = kInside + 1, kNumber = 2 * kOpen;

  /// @return how many there are with the caller: fewer where the system refuses more
  int start(int n_threads) {
    std::latch started(n_threads - 1);
    int n = 1;
    try {
      for (; n < n_threads; ++n) {
        std::thread([this, n, &started] {
          this_thread = n;
          use_openmp_threads(1);
          started.count_down();
          help();
        }).detach();
      }
    } catch (const std::system_error&) {
      started.count_down(n_threads - n);
    }
    started.wait();  // so that the first loops find them ready, and what they allocate is behind us
    return n;
  }

  void open() {
    state_.store(state_.load() / kNumber * kNumber + kNumber + kOpen);
    if (n_asleep_.load() == 0) return;
    { const std::lock_guard lock(mutex_); }  // whoever is about to sleep is asleep or has seen the loop
    wake_.notify_all();
  }

  void close() {
    const auto is_empty = [&] { return (state_.load() & kInside) == 0; };
    state_.fetch_and(~kOpen);
    if (spin_until(is_empty)) return;
    std::unique_lock lock(mutex_);
    done_.wait(lock, is_empty);
  }

  bool enter() {
    std::uint64_t state = state_.load();
    while (state & kOpen) {
      if (state_.compare_exchange_weak(state, state + 1)) return true;
    }
    return false;
  }

  void leave() {
    const std::uint64_t before = state_.fetch_sub(1);
    if ((before & (kOpen | kInside)) != 1) return;
    { const std::lock_guard lock(mutex_); }
    done_.notify_one();
  }

  /// First its own share, whose data the last loop may have left in this thread's cache; then what is left of others'.
  void take_shares() {
    is_in_loop = true;
    for (int i = 0; i < n_threads_; ++i) {
      Share& share = shares_[(this_thread + i) % n_threads_];
      for (Index first; (first = share.next.fetch_add(part_, std::memory_order_relaxed)) < share.end;)
        call_with(first, std::min(first + part_, share.end));
    }
    is_in_loop = false;
  }

  void call_with(Index first, Index end) {
    for (Index i = first; i < end; ++i) {
      try {
        call_(body_, i);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
    }
  }

  void help() {
    std::uint64_t last = 0;
    while (true) {
      const auto is_new = [&] { return state_.load() / kNumber != last; };
      if (!spin_until(is_new)) {
        std::unique_lock lock(mutex_);
        ++n_asleep_;
        wake_.wait(lock, is_new);
        --n_asleep_;
      }
      if (enter()) {
        last = state_.load() / kNumber;
        take_shares();
        leave();
      } else {
        last = state_.load() / kNumber;  // it was over too soon
      }
    }
  }

  void (*call_)(const void*, Index) = nullptr;
  const void* body_ = nullptr;
  std::exception_ptr failure_;

  std::atomic<std::uint64_t> state_{0};
  std::mutex mutex_;  // of failure_, and for going to sleep
  std::atomic<int> n_asleep_{0};
  std::condition_variable wake_, done_;

  std::mutex owner_;     // held as long as a loop is open
  const int n_threads_;  // from here on after all that the helpers look at while they wait
  std::vector<Share> shares_;
  Index part_ = 1;  // so many iterations are taken at once
};

/// Never destroyed: a program may end while helpers sleep.
Helpers& helpers() {
  static Helpers& all = *new Helpers(wanted_threads());
  return all;
}

}  // namespace

int max_threads() { return helpers().n_threads(); }
int thread_index() { return this_thread; }

void run_in_parallel(Index n, void (*call)(const void* body, Index i), const void* body) {
  if (n > 1 && !is_in_loop && helpers().n_threads() > 1) return helpers().run(n, call, body);
  for (Index i = 0; i < n; ++i) call(body, i);
}

}  // namespace waitless
