#include "common/simt/worker_pool.h"

#include <pthread.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace waitless::simt {
namespace {

class WorkerPool {
 public:
  void run(int n_workers, const std::function<void(int)>& task) {
    {
      const std::lock_guard lock(mutex_);
      while (static_cast<int>(threads_.size()) < n_workers - 1) {
        const int worker = static_cast<int>(threads_.size()) + 1;
        threads_.emplace_back([this, worker, seen = round_] { serve(worker, seen); });
      }
      task_ = &task;
      n_workers_ = n_workers;
      n_busy_ = static_cast<int>(threads_.size());
      ++round_;
    }
    wake_.notify_all();
    task(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return n_busy_ == 0; });
  }

 private:
  void serve(int worker, unsigned seen) {
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return round_ != seen; });
      seen = round_;
      if (worker < n_workers_) {
        const std::function<void(int)>& task = *task_;
        lock.unlock();
        task(worker);
        lock.lock();
      }
      if (--n_busy_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  const std::function<void(int)>* task_ = nullptr;
  int n_workers_ = 0, n_busy_ = 0;
  unsigned round_ = 0;
};

// Never destroyed: its threads wait until the process ends.
WorkerPool* pool = nullptr;

}  // namespace

void run_on_workers(int n_workers, const std::function<void(int)>& task) {
  if (n_workers == 1) return task(0);
  if (pool == nullptr) {
    pool = new WorkerPool;
    // A child process inherits no threads, so it starts with a new pool.
    static const int registered = pthread_atfork(nullptr, nullptr, [] { pool = nullptr; });
    static_cast<void>(registered);
  }
  pool->run(n_workers, task);
}

}  // namespace waitless::simt
