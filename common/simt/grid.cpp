#include "common/simt/grid.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/simt/device_limits.h"
#include "common/simt/device_memory.h"
#include "common/simt/faults.h"
#include "common/simt/hooks.h"
#include "common/simt/report.h"
#include "common/simt/worker_pool.h"

namespace waitless::simt {
namespace {

std::mutex launch_mutex;  // one grid at a time

std::map<const void*, std::size_t>& max_dynamic_shared_bytes() {
  static std::map<const void*, std::size_t> bytes;
  return bytes;
}

/// What one worker keeps from launch to launch.
struct Worker {
  ThreadBlock block;
  std::unique_ptr<std::byte[]> dynamic_shared_memory = std::make_unique<std::byte[]>(kMaxSharedBytesPerBlock);
};

Worker& worker_number(int number) {
  static std::vector<std::unique_ptr<Worker>> workers;  // grown under launch_mutex, before the workers start
  while (static_cast<int>(workers.size()) <= number) workers.push_back(std::make_unique<Worker>());
  return *workers[number];
}

std::string describe(const char* what, const dim3& size) {
  return std::string(what) + " (" + std::to_string(size.x) + "," + std::to_string(size.y) + "," +
         std::to_string(size.z) + ")";
}

/// @return cudaSuccess if a GPU could run the grid
Finding check(const GridShape& shape, const void* kernel) {
  const dim3 &grid = shape.grid_size, &block = shape.block_size;
  const auto invalid = [&](const std::string& why) {
    return Finding{cudaErrorInvalidConfiguration, describe_kernel(kernel) + " cannot be launched: " + why};
  };
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return invalid(describe("grid", grid) + " has no thread block");
  if (block.x == 0 || block.y == 0 || block.z == 0) return invalid(describe("thread block", block) + " has no thread");
  if (grid.x > kMaxGridSize[0] || grid.y > kMaxGridSize[1] || grid.z > kMaxGridSize[2]) {
    return invalid(describe("grid", grid) + " is too large; the limit is (2147483647,65535,65535)");
  }
  if (block.x > kMaxBlockSize[0] || block.y > kMaxBlockSize[1] || block.z > kMaxBlockSize[2] ||
      block.x * block.y * block.z > kMaxThreadsPerBlock) {
    return invalid(describe("thread block", block) + " is too large; the limit is 1024 threads, and 64 along z");
  }
  const auto granted = max_dynamic_shared_bytes().find(kernel);
  const std::size_t limit = granted == max_dynamic_shared_bytes().end() ? kSharedBytesPerBlock : granted->second;
  if (shape.shared_bytes > limit) {
    return {
        cudaErrorInvalidValue,
        describe_kernel(kernel) + " cannot be launched: it asks for " + std::to_string(shape.shared_bytes) +
            " bytes of dynamic shared memory and may use " + std::to_string(limit) +
            "; cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) raises that up to " +
            std::to_string(kMaxSharedBytesPerBlock)};
  }
  return {cudaSuccess, ""};
}

}  // namespace

bool set_max_dynamic_shared_bytes(const void* kernel, std::size_t n_bytes) {
  const std::lock_guard lock(launch_mutex);
  if (n_bytes > kMaxSharedBytesPerBlock) return false;
  max_dynamic_shared_bytes()[kernel] = n_bytes;
  return true;
}

cudaError_t run_grid(const GridShape& shape, const KernelCall& call) {
  if (current.block != nullptr) {
    throw std::logic_error(
        "simt: a kernel launches a kernel; only the host can, since simt has no dynamic parallelism");
  }
  const std::lock_guard lock(launch_mutex);
  if (const Finding finding = check(shape, call.kernel); finding.error != cudaSuccess) return report(finding);

  const dim3 grid = shape.grid_size;
  const std::uint64_t n_blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  const Settings launch_settings = settings();
  const int n_workers =
      hooks::kOneBlockAtATime ? 1 : static_cast<int>(std::min<std::uint64_t>(launch_settings.n_workers, n_blocks));
  worker_number(n_workers - 1);

  std::atomic<std::uint64_t> next_turn{0};
  std::atomic<bool> must_stop{false};
  std::mutex result_mutex;
  Finding finding{cudaSuccess, ""};
  std::exception_ptr exception;

  const DeviceMemoryAccess access;
  run_on_workers(n_workers, [&](int number) {
    install_fault_handler();
    Worker& worker = worker_number(number);
    current.block_size = shape.block_size;
    current.grid_size = grid;
    current.dynamic_shared_memory = worker.dynamic_shared_memory.get();
    worker.block.configure(launch_settings);
    hooks::begin_launch(shape, call.kernel);
    while (!must_stop) {
      const std::uint64_t turn = next_turn++;
      if (turn >= n_blocks) break;
      const std::uint64_t block = block_at_turn(turn, n_blocks, launch_settings);
      current.block_index = {static_cast<unsigned>(block % grid.x), static_cast<unsigned>(block / grid.x % grid.y),
                             static_cast<unsigned>(block / grid.x / grid.y)};
      try {
        hooks::begin_block();
        const std::optional<Finding> found = worker.block.run(call, block);
        hooks::end_block();
        if (!found) continue;
        const std::lock_guard result_lock(result_mutex);
        if (!must_stop.exchange(true)) finding = *found;
      } catch (...) {
        const std::lock_guard result_lock(result_mutex);
        if (!must_stop.exchange(true)) exception = std::current_exception();
      }
    }
    hooks::end_launch(!must_stop);
  });
  if (exception) std::rethrow_exception(exception);
  return finding.error == cudaSuccess ? cudaSuccess : report(finding);
}

}  // namespace waitless::simt
