#include "common/simt/checked/checker.h"

#include <algorithm>

#include "common/simt/checked/program.h"
#include "common/simt/current.h"
#include "common/simt/device_limits.h"
#include "common/simt/thread_block.h"

namespace waitless::simt::checked {

WAITLESS_SIMT_THREAD_LOCAL bool runs_kernel_code = false;

Checker& checker() {
  static Checker& the_checker = *new Checker;  // used until the last object of static storage has gone
  return the_checker;
}

Checker::Checker()
    : requests_(*this),
      device_begin_(reinterpret_cast<std::uintptr_t>(device_memory_begin())),
      static_bytes_(program().thread_local_bytes),
      dynamic_shadow_(kMaxSharedBytesPerBlock),
      static_shadow_(program().thread_local_bytes),
      variable_shadow_(program().writable_end - program().writable_begin),
      shared_variable_at_(program().thread_local_bytes + 16) {
  for (std::size_t i = 0; i < program().shared.size(); ++i) {
    const Variable& variable = program().shared[i];
    std::fill_n(shared_variable_at_.begin() + variable.start, variable.n_bytes, static_cast<std::uint16_t>(i + 1));
  }
}

unsigned Checker::thread() { return current.thread.linear; }

void Checker::access(const void* address, unsigned size, Direction direction, bool is_atomic, const void* code,
                     bool is_counted) {
  Attempt attempt{address, size, direction, is_atomic, code, thread(), Region::kNone, 0, 0};
  last_code_ = code;
  const std::uint64_t n = n_accesses_.load(std::memory_order_relaxed) + 1;
  n_accesses_.store(n, std::memory_order_relaxed);
  if (n > limits_.n_accesses) [[unlikely]]
    stop(problem_at(ProblemKind::kTooManyAccesses, attempt));
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  if (place - stack_.begin < stack_.n_bytes) return;  // a local variable
  if (const std::size_t offset = place - device_begin_; offset < kDeviceMemorySize) {
    access_device(attempt, offset, is_counted);
  } else if (const std::size_t dynamic_offset = place - dynamic_begin_; dynamic_offset < kMaxSharedBytesPerBlock) {
    attempt.region = Region::kDynamicShared;
    attempt.offset = dynamic_offset;
    if (dynamic_offset + size > shape_.shared_bytes) [[unlikely]]
      stop(problem_at(ProblemKind::kOutOfBounds, attempt));
    access_shared(attempt, dynamic_shadow_, is_counted);
  } else if (const std::size_t static_offset = place - static_begin_; static_offset < static_bytes_) {
    if (direction == Direction::kRead && is_ignored(place)) return;
    attempt.region = Region::kStaticShared;
    attempt.offset = static_offset;
    const std::uint16_t variable = shared_variable_at_[static_offset];
    const bool is_inside = is_shared_here_[variable] && shared_variable_at_[static_offset + size - 1] == variable;
    if (!is_inside) [[unlikely]]
      stop(problem_at(ProblemKind::kOutOfBounds, attempt));
    access_shared(attempt, static_shadow_, is_counted);
  } else {
    access_elsewhere(attempt);
  }
}

inline void Checker::access_device(Attempt& attempt, std::size_t offset, bool is_counted) {
  settle_suspicion(&attempt);
  attempt.region = Region::kDevice;
  attempt.allocation = allocations_.find(offset);
  DeviceAllocation& allocation = allocations_[attempt.allocation];
  attempt.offset = offset - allocation.offset;
  if (attempt.offset + attempt.size > allocation.n_bytes || !allocation.is_live) [[unlikely]] {
    if (attempt.allocation == 0) attempt.allocation = allocations_.find_or_previous(offset);
    attempt.offset = offset - allocations_[attempt.allocation].offset;
    const bool was_freed = attempt.allocation != 0 && !allocations_[attempt.allocation].is_live;
    stop(problem_at(was_freed ? ProblemKind::kFreed : ProblemKind::kOutOfBounds, attempt));
  }
  if ((offset & (attempt.size - 1)) != 0) [[unlikely]]
    stop(problem_at(ProblemKind::kMisaligned, attempt));
  if (allocation.launch != launch_) [[unlikely]]
    begin_traffic(allocation, attempt.allocation);

  const unsigned number = requests_.find_site(attempt.code, Space::kGlobal, attempt.direction, attempt.size);
  MemoryTraffic& traffic = attempt.direction == Direction::kRead    ? allocation.read
                           : attempt.direction == Direction::kWrite ? allocation.written
                                                                    : allocation.atomic;
  check_cells<Region::kDevice>(attempt, allocation.shadow, &traffic, number);
  if (last_access_[attempt.thread] < order_.block_begin()) ++counters_.active_threads;
  last_access_[attempt.thread] = order_.now(attempt.thread);
  if (!is_counted) return;
  ++n_global_accesses_[attempt.thread];
  ++traffic.accesses;
  traffic.bytes += attempt.size;
  requests_.add(requests_.site(number), attempt.thread, static_cast<std::uint32_t>(offset), attempt.allocation);
}

inline void Checker::access_shared(Attempt& attempt, Shadow& shadow, bool is_counted) {
  settle_suspicion(&attempt);
  if ((reinterpret_cast<std::uintptr_t>(attempt.address) & (attempt.size - 1)) != 0) [[unlikely]]
    stop(problem_at(ProblemKind::kMisaligned, attempt));
  const unsigned number = requests_.find_site(attempt.code, Space::kShared, attempt.direction, attempt.size);
  check_cells<Region::kStaticShared>(attempt, shadow, nullptr, number);
  if (last_access_[attempt.thread] < order_.block_begin()) ++counters_.active_threads;
  last_access_[attempt.thread] = last_shared_access_[attempt.thread] = order_.now(attempt.thread);
  if (!is_counted) return;
  ++counters_.shared.accesses;
  counters_.shared.bytes += attempt.size;
  // All static variables and the dynamic memory are one memory with one set of banks.
  requests_.add(requests_.site(number), attempt.thread, static_cast<std::uint32_t>(attempt.offset), 0);
}

/// Constant and other variables; anything else is no memory of the device.
void Checker::access_elsewhere(Attempt& attempt) {
  const auto place = reinterpret_cast<std::uintptr_t>(attempt.address);
  const FiberStacks& stacks = current.block->stacks();
  if (stacks.stack_of(attempt.address) >= 0) stop(problem_at(ProblemKind::kLocalOfAnotherThread, attempt));
  if (place - program().writable_begin < program().writable_end - program().writable_begin) {
    settle_suspicion(&attempt);
    attempt.region = Region::kVariable;
    attempt.offset = place - program().writable_begin;
    if ((place & (attempt.size - 1)) != 0) stop(problem_at(ProblemKind::kMisaligned, attempt));
    const unsigned number = requests_.find_site(attempt.code, Space::kGlobal, attempt.direction, attempt.size);
    check_cells<Region::kVariable>(attempt, variable_shadow_, nullptr, number);
    last_access_[attempt.thread] = order_.now(attempt.thread);
    return;
  }
  if (place >= program().constant_begin && place < program().constant_end) return;
  if (stacks.is_guard(attempt.address)) return;  // the access itself will end in the fault handler
  stop(problem_at(ProblemKind::kNotOnDevice, attempt));
}

/// simt's own thread-local variables, which device functions read.
bool Checker::is_ignored(std::uintptr_t place) const {
  return place - reinterpret_cast<std::uintptr_t>(&current) < sizeof current;
}

template <Region region>
inline bool Checker::is_ordered(Record access, unsigned thread) const {
  // Shared memory is new for each thread block.
  if (region == Region::kStaticShared && access.stamp() < order_.last_barrier()) return true;
  return order_.is_before(access, thread);
}

template <Region region>
inline void Checker::check_cells(const Attempt& attempt, Shadow& shadow, MemoryTraffic* traffic, unsigned site) {
  // A volatile access to shared memory is an ordinary one: it orders nothing.
  const bool is_strong =
      attempt.is_atomic && (region != Region::kStaticShared || attempt.direction == Direction::kAtomic);
  if (is_strong) order_.synchronize(attempt.thread, attempt.address);
  const Record mine(order_.now(attempt.thread), attempt.thread, is_strong, site);
  const auto check_order = [&](Record other) {
    if (is_ordered<region>(other, attempt.thread) || (is_strong && other.is_strong())) [[likely]]
      return;
    stop(race_at(attempt, other));
  };

  const auto [begin, end] = shadow.cells(attempt.offset, attempt.size);
  const unsigned bytes_per_cell = shadow.bytes_per_cell();
  for (Cell* cell = begin; cell != end; ++cell) {
    if (is_strong) check_order(cell->plain_writer);
    if (!is_ordered<region>(cell->writer, attempt.thread) && !(is_strong && cell->writer.is_strong())) [[unlikely]]
      suspect_race(attempt, cell->writer);
    if (attempt.direction != Direction::kWrite) {
      if (region == Region::kStaticShared) {
        if (cell->writer.stamp() < order_.block_begin()) [[unlikely]]
          suspect_uninitialised(attempt);
      } else if (region == Region::kDevice && cell->writer.is_empty()) {
        DeviceAllocation& allocation = allocations_[attempt.allocation];
        const std::size_t offset = attempt.offset + (cell - begin) * bytes_per_cell;
        if (!allocation.is_initialised && !DeviceAllocations::is_initialised(allocation, offset, bytes_per_cell)) {
          stop(problem_at(ProblemKind::kUninitialised, attempt));
        }
      }
    }
    if (attempt.direction == Direction::kRead) {
      const bool is_first = note_reader<region>(*cell, mine, attempt.thread);
      if (region == Region::kDevice && is_first) traffic->unique_bytes += bytes_per_cell;
      continue;
    }
    if (attempt.direction == Direction::kAtomic) {  // the thread's own read before it was part of the operation
      if (cell->reader.is_same_moment(mine)) cell->reader.set_strong();
      if (cell->second_reader.is_same_moment(mine)) cell->second_reader.set_strong();
    }
    check_order(cell->reader);
    if (cell->second_reader.stamp() >= order_.last_barrier()) check_order(cell->second_reader);
    if (region != Region::kStaticShared) check_order(cell->other_block_reader);
    if (region == Region::kDevice && cell->writer.stamp() < order_.launch_begin()) {
      traffic->unique_bytes += bytes_per_cell;
    }
    cell->writer = mine;
    if (!is_strong) cell->plain_writer = mine;
  }
}

/// See Cell for which readers are kept. @return true for the first read in this launch
template <Region region>
inline bool Checker::note_reader(Cell& cell, Record mine, unsigned thread) {
  if (cell.reader.is_same_moment(mine)) return false;
  const Stamp stamp = cell.reader.stamp();
  if (stamp < order_.last_barrier()) {
    const bool is_first = stamp < order_.launch_begin();
    if (region != Region::kStaticShared && !is_first && stamp < order_.block_begin()) {
      cell.other_block_reader = cell.reader;
    }
    cell.reader = mine;
    return is_first;
  }
  if (order_.is_before_in_segment(cell.reader, thread)) {
    cell.reader = mine;
  } else if (cell.second_reader.stamp() < order_.last_barrier() ||
             order_.is_before_in_segment(cell.second_reader, thread) ||
             (cell.second_reader.thread() / 32 == cell.reader.thread() / 32 &&
              cell.reader.thread() / 32 != thread / 32)) {
    cell.second_reader = mine;
  }
  return false;
}

void Checker::begin_traffic(DeviceAllocation& allocation, std::uint32_t number) {
  const RuntimeSection section;
  allocation.launch = launch_;
  allocation.read = allocation.written = allocation.atomic = {};
  touched_.push_back(number);
}

void Checker::add_request(const Site& site, const Request& request, int n_pieces) {
  if (site.space == Space::kShared) {
    ++counters_.shared.requests;
    counters_.shared.wavefronts += n_pieces;
    return;
  }
  DeviceAllocation& allocation = allocations_[request.allocation];
  MemoryTraffic& traffic = site.direction == Direction::kRead    ? allocation.read
                           : site.direction == Direction::kWrite ? allocation.written
                                                                 : allocation.atomic;
  ++traffic.requests;
  traffic.sectors += n_pieces;
}

}  // namespace waitless::simt::checked
