#include "common/simt/checked/order.h"

#include <algorithm>

namespace waitless::simt::checked {

void Order::begin_launch() {
  launch_begin_ = next_++;
  published_.clear();
}

void Order::begin_block(unsigned n_threads) {
  n_threads_ = n_threads;
  block_begin_ = next_;
  acquired_.clear();
  pass_barrier();
}

void Order::pass_barrier() {
  last_barrier_ = next_++;
  std::fill_n(now_.begin(), n_threads_, last_barrier_);
}

void Order::sync_warp(unsigned warp, std::uint32_t lanes) {
  const unsigned first = warp * kWarpSize;
  const Stamp stamp = next_++;
  Seen seen{};
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const Seen& other = seen_[first + __builtin_ctz(rest)];
    for (unsigned lane = 0; lane < kWarpSize; ++lane) seen[lane] = std::max(seen[lane], other[lane]);
  }
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) seen[__builtin_ctz(rest)] = stamp;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned thread = first + __builtin_ctz(rest);
    seen_[thread] = seen;
    now_[thread] = stamp;
  }
}

void Order::fence(unsigned thread) {
  const Stamp stamp = next_++;
  now_[thread] = stamp;
  last_fence_[thread] = {stamp, last_barrier_, seen_[thread]};
}

void Order::synchronize_published(unsigned thread, const void* address) {
  if (const auto at = published_.find(address); at != published_.end()) {
    const bool is_known = !acquired_.empty() && acquired_.back().thread == thread &&
                          acquired_.back().publications == &at->second && acquired_.back().n == at->second.size();
    if (!is_known) acquired_.push_back({thread, now_[thread], &at->second, at->second.size()});
  }
  const Fence& fence = last_fence_[thread];
  if (fence.stamp < block_begin_) return;
  std::vector<Publication>& publications = published_[address];
  if (publications.empty() || publications.back().fence.stamp != fence.stamp) {
    publications.push_back({block_begin_, thread, fence});
  }
}

bool Order::is_acquired(Record access, unsigned thread) const {
  const Stamp stamp = access.stamp();
  for (const Acquisition& acquisition : acquired_) {
    const bool is_visible = acquisition.thread == thread || acquisition.stamp < last_barrier_ ||
                            (acquisition.thread / kWarpSize == thread / kWarpSize &&
                             acquisition.stamp < seen_[thread][acquisition.thread % kWarpSize]);
    if (!is_visible) continue;
    for (std::size_t i = 0; i < acquisition.n; ++i) {
      const auto& [block_begin, publisher, fence] = (*acquisition.publications)[i];
      if (stamp < block_begin || stamp >= fence.stamp) continue;  // of another block, or too late
      if (stamp < fence.barrier || access.thread() == publisher) return true;
      if (access.thread() / kWarpSize == publisher / kWarpSize && stamp < fence.seen[access.thread() % kWarpSize]) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace waitless::simt::checked
