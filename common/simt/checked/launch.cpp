/// The checker's side of a launch: what it prepares, and what it adds to the counters at the end.

#include <algorithm>
#include <mutex>

#include "common/simt/checked/at_exit.h"
#include "common/simt/checked/checker.h"
#include "common/simt/checked/program.h"
#include "common/simt/checked/totals.h"
#include "common/simt/checked/watchdog.h"
#include "common/simt/current.h"
#include "common/simt/hooks.h"
#include "common/simt/source_line.h"

namespace waitless::simt {
namespace checked {

void Checker::begin_launch(const GridShape& shape, const void* kernel) {
  const dim3 &grid = shape.grid_size, &block = shape.block_size;
  shape_ = shape;
  limits_ = limits();
  ++launch_;
  n_accesses_ = 0;
  n_threads_ = block.x * block.y * block.z;
  if (kernel != kernel_) find_shared_variables(function_name(kernel));
  kernel_ = kernel;
  static_begin_ = reinterpret_cast<std::uintptr_t>(thread_local_begin());
  dynamic_begin_ = reinterpret_cast<std::uintptr_t>(current.dynamic_shared_memory);
  order_.begin_launch();
  touched_.clear();
  blocks_.clear();
  counters_ = {};
  counters_.launches = 1;
  counters_.blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  counters_.threads = counters_.blocks * n_threads_;
  counters_.declared_flops = take_declared_flops();
}

/// All shared variables lie side by side, those of other kernels too. Those that a device function declares may belong
/// to any kernel; the course's kernels are called *_kernel.
void Checker::find_shared_variables(const std::string& kernel) {
  const std::vector<Variable>& shared = program().shared;
  is_shared_here_.assign(shared.size() + 1, false);
  for (std::size_t i = 0; i < shared.size(); ++i) {
    is_shared_here_[i + 1] = shared[i].owner == kernel || !shared[i].owner.ends_with("_kernel");
  }
}

void Checker::begin_block() {
  order_.begin_block(n_threads_);
  blocks_.push_back({order_.block_begin(), current.block_index});
  barrier_file_ = nullptr;
  suspicion_.address = nullptr;
  is_uninitialised_ = false;
  n_threads_exited_ = 0;
  std::fill_n(has_exited_.begin(), n_threads_, false);
  std::fill_n(is_in_warp_wait_.begin(), n_threads_, false);
  n_exited_.fill(0);
  std::fill_n(n_global_accesses_.begin(), n_threads_, 0);
}

void Checker::end_block() {
  requests_.complete_all();
  const auto most = std::max_element(n_global_accesses_.begin(), n_global_accesses_.begin() + n_threads_);
  counters_.most_accesses_by_one = std::max(counters_.most_accesses_by_one, *most);
}

void Checker::end_launch(bool is_complete) {
  requests_.complete_all();  // of a block that was given up
  if (!is_complete) return;
  for (const std::uint32_t number : touched_) {
    const DeviceAllocation& allocation = allocations_[number];
    counters_.buffers.push_back({allocations_.address_of(allocation), allocation.n_bytes, allocation.file,
                                 allocation.line, allocation.read, allocation.written, allocation.atomic});
  }
  add_to_totals(kernel_, counters_, touched_);
}

}  // namespace checked

namespace hooks {

using checked::checker;

namespace {

/// Held by a launch from its beginning to its end: allocating and copying wait for kernels, as on a GPU.
std::mutex device_mutex;

}  // namespace

void allocated(void* start, std::size_t n_bytes, const char* file, int line) {
  const std::lock_guard lock(device_mutex);
  checked::report_at_exit();
  checked::add_allocation(n_bytes);
  checker().allocations().add(start, n_bytes, file, line);
}

void freed(void* start) {
  const std::lock_guard lock(device_mutex);
  checked::add_free();
  checker().allocations().remove(start);
}

void copied(void* to, const void* from, std::size_t n_bytes, bool to_device, bool from_device, const void* stream) {
  checked::add_copy(n_bytes, to_device, from_device, stream);
  if (!to_device) return;
  const std::lock_guard lock(device_mutex);
  if (from_device) {
    checker().allocations().copy_initialised(to, from, n_bytes);
  } else {
    checker().allocations().set_initialised(to, n_bytes);
  }
}

void filled(void* start, std::size_t n_bytes, const void* stream) {
  checked::add_fill(n_bytes, stream);
  const std::lock_guard lock(device_mutex);
  checker().allocations().set_initialised(start, n_bytes);
}

void begin_launch(const GridShape& shape, const void* kernel) {
  device_mutex.lock();
  checked::add_launch(shape.stream);
  checker().begin_launch(shape, kernel);
  checked::watchdog().begin_launch(limits().seconds);
}

void begin_block() { checker().begin_block(); }
void end_block() { checker().end_block(); }
const void* kernel_code(const void* code) {
  return checked::runs_kernel_code ? code : static_cast<const char*>(checker().last_code()) - 1;
}
void leave_kernel() { checked::runs_kernel_code = false; }

void end_launch(bool is_complete) {
  checked::watchdog().end_launch();
  checker().end_launch(is_complete);
  device_mutex.unlock();
}

}  // namespace hooks
}  // namespace waitless::simt
