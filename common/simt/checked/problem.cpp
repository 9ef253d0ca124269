/// The sentences of the checks: who did what to which memory, where, and the likely cause.

#include <cstring>
#include <string>

#include "common/simt/checked/checker.h"
#include "common/simt/checked/program.h"
#include "common/simt/current.h"
#include "common/simt/source_line.h"

namespace waitless::simt::checked {
namespace {

std::string in_parentheses(const uint3& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z) + ")";
}

uint3 thread_at(unsigned linear, const dim3& block) {
  return {linear % block.x, linear / block.x % block.y, linear / block.x / block.y};
}

const char* verb(Direction direction) {
  switch (direction) {
    case Direction::kRead:
      return "reads";
    case Direction::kWrite:
      return "writes";
    case Direction::kAtomic:
      return "changes atomically";
  }
  return "accesses";
}

std::string bytes(std::size_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

/// " at saxpy.cu:12", or "" if unknown. `code` is a return address: the access comes before it.
std::string at_line(const void* code) {
  const std::string place = source_line(static_cast<const char*>(code) - 1).place;
  return place.empty() ? "" : " at " + place;
}

std::string at_line(const char* file, int line) { return std::string(" at ") + file + ":" + std::to_string(line); }

}  // namespace

std::string Checker::describe_party(const Party& party) const {
  return "thread block " + in_parentheses(party.block) + ", thread " +
         in_parentheses(thread_at(party.thread, shape_.block_size));
}

/// "x (4000 bytes, allocated at saxpy_test.cpp:12)", "shared variable tile (1024 bytes)", ...
std::string Checker::describe_memory(const Problem& problem) const {
  switch (problem.region) {
    case Region::kDevice:
      return problem.allocation == 0 ? "device memory" : describe(allocations_.at(problem.allocation));
    case Region::kDynamicShared:
      return "the " + bytes(shape_.shared_bytes) + " of dynamic shared memory";
    case Region::kStaticShared:
      if (const Variable* variable = find_variable(program().shared, problem.offset)) {
        return "shared variable " + variable->name + " (" + bytes(variable->n_bytes) + ")";
      }
      return "static shared memory";
    case Region::kVariable: {
      const auto address = reinterpret_cast<std::uintptr_t>(problem.address);
      const Variable* const variable = find_variable(program().globals, address);
      return variable == nullptr ? "a variable" : "variable " + variable_name(variable->name.c_str());
    }
    case Region::kNone:
      break;
  }
  return "memory";
}

/// "byte 12 of x (...)"
std::string Checker::describe_place(const Problem& problem) const {
  std::size_t offset = problem.offset;
  if (problem.region == Region::kStaticShared) {
    const Variable* const variable = find_variable(program().shared, offset);
    if (variable != nullptr) offset -= variable->start;
  } else if (problem.region == Region::kVariable) {
    const auto address = reinterpret_cast<std::uintptr_t>(problem.address);
    const Variable* const variable = find_variable(program().globals, address);
    offset = variable == nullptr ? 0 : address - variable->start;
  }
  return "byte " + std::to_string(offset) + " of " + describe_memory(problem);
}

Finding Checker::describe_out_of_bounds(const std::string& who, const Problem& problem) const {
  const std::string what = who + " " + verb(problem.party.direction) + " " + bytes(problem.size);
  if (problem.region == Region::kDevice) {
    if (problem.allocation == 0) {
      return {cudaErrorIllegalAddress, what + " of device memory that was never allocated: an index is out of bounds"};
    }
    const DeviceAllocation& allocation = allocations_.at(problem.allocation);
    const bool is_after = problem.offset >= allocation.n_bytes;
    return {cudaErrorIllegalAddress,
            what +
                (is_after ? " " + bytes(problem.offset - allocation.n_bytes) + " beyond the end of "
                          : " across the end of ") +
                describe_memory(problem) +
                ": an index is out of bounds; the last thread block of a grid often has threads that have no element"};
  }
  if (problem.region == Region::kDynamicShared) {
    return {cudaErrorIllegalAddress, what + " at byte " + std::to_string(problem.offset) + " of " +
                                         describe_memory(problem) +
                                         ": an index is out of bounds, or the launch asks for too little"};
  }
  // Beyond a static shared variable: the one before is most likely meant.
  const Variable* before = nullptr;
  for (const Variable& variable : program().shared) {
    if (variable.start <= problem.offset) before = &variable;
  }
  return {cudaErrorIllegalAddress,
          what +
              (before == nullptr ? " of thread-local memory that is no shared variable"
                                 : " at byte " + std::to_string(problem.offset - before->start) +
                                       " of shared variable " + before->name + " (" + bytes(before->n_bytes) + ")") +
              ": an index is out of bounds"};
}

Finding Checker::describe_problem() const {
  const Problem& problem = problem_;
  const Party& party = problem.party;
  const std::string kernel = function_name(kernel_);
  std::string who = kernel + " (" + describe_party(party) + ")";
  if (party.code != nullptr) {
    who += at_line(party.code);
  } else if (problem.file != nullptr) {
    who += at_line(problem.file, problem.line);
  }
  switch (problem.kind) {
    case ProblemKind::kOutOfBounds:
      return describe_out_of_bounds(who, problem);
    case ProblemKind::kFreed:
      return {cudaErrorIllegalAddress, who + " " + verb(party.direction) + " " + bytes(problem.size) + " at " +
                                           describe_place(problem) +
                                           ", which has been freed: the buffer was destroyed before the launch"};
    case ProblemKind::kMisaligned:
      return {cudaErrorMisalignedAddress,
              who + " " + verb(party.direction) + " " + bytes(problem.size) + " at " + describe_place(problem) +
                  ", which is not a multiple of " + std::to_string(problem.size) +
                  ": a pointer was cast to a larger type, such as float4, where its elements do not start"};
    case ProblemKind::kNotOnDevice: {
      const bool is_null = reinterpret_cast<std::uintptr_t>(problem.address) < 4096;
      return {cudaErrorIllegalAddress,
              who + " " + verb(party.direction) + " " + bytes(problem.size) +
                  (is_null ? " through a null pointer: the pointer was never set, or the buffer is empty"
                           : " of host memory: a host pointer was passed where data() of a DeviceBuffer belongs")};
    }
    case ProblemKind::kLocalOfAnotherThread:
      return {cudaErrorIllegalAddress,
              who + " " + verb(party.direction) + " " + bytes(problem.size) +
                  " of another thread's local memory: pointers to local variables are of use to their own thread only"};
    case ProblemKind::kUninitialised:
      return {cudaErrorLaunchFailure,
              who + " " + verb(party.direction) + " " + bytes(problem.size) + " at " + describe_place(problem) +
                  ", which nobody has written" +
                  (problem.region == Region::kDevice
                       ? ": cudaMalloc does not clear memory, and what another thread block writes may come later"
                       : " in this thread block: shared memory starts with arbitrary content")};
    case ProblemKind::kRace: {
      const bool is_same_block = std::memcmp(&party.block, &problem.other.block, sizeof party.block) == 0;
      const bool is_same_warp = is_same_block && party.thread / 32 == problem.other.thread / 32;
      const std::string other =
          describe_party(problem.other) + at_line(problem.other.code) + " " + verb(problem.other.direction) + " it too";
      const char* const cause =
          !is_same_block
              ? ": thread blocks run in any order; let one block own the element, use an atomic operation, or "
                "publish it with __threadfence() and an atomic operation"
          : is_same_warp ? ", and no __syncthreads() or __syncwarp() orders the two: lanes of a warp do not run in step"
                         : ", and no __syncthreads() orders the two";
      return {cudaErrorLaunchFailure, who + " " + verb(party.direction) + " " + bytes(problem.size) + " at " +
                                          describe_place(problem) + " in a race: " + other + cause};
    }
    case ProblemKind::kIndex:
      return {cudaErrorIllegalAddress, who + " uses index " + std::to_string(problem.index) + " of an array of type " +
                                           problem.type + ": the index is out of bounds"};
    case ProblemKind::kBarrierSites:
      return {cudaErrorLaunchFailure,
              who + " waits at a barrier while other threads of the block wait at another," +
                  at_line(problem.other_file, problem.other_line) +
                  ": all threads must reach the same __syncthreads(), so it must not depend on the thread"};
    case ProblemKind::kBarrierSkipped:
      return {cudaErrorLaunchFailure,
              kernel + " (" + describe_party(party) + ") ends without the barrier" +
                  at_line(problem.file, problem.line) +
                  " at which other threads of its block wait: all threads must reach the same __syncthreads(), so it "
                  "must not depend on the thread"};
    case ProblemKind::kMaskLacksCaller:
      return {cudaErrorLaunchFailure, who + " calls " + name_of(problem.wait) +
                                          " with a mask that lacks its own lane " + std::to_string(party.thread % 32) +
                                          ": the mask must name all lanes that call"};
    case ProblemKind::kAbsentLane:
      return {cudaErrorLaunchFailure,
              who + " reads lane " + std::to_string(problem.lane) + " by " + name_of(problem.wait) + ", " +
                  (problem.lane_has_exited ? "which has exited or does not exist" : "which is not in the mask") +
                  ": the value is undefined on a GPU"};
    case ProblemKind::kTooManyAccesses:
      return {cudaErrorLaunchTimeout,
              who + ": the kernel has made " + std::to_string(limits_.n_accesses) +
                  " memory accesses and is stopped: a loop has no end, or WAITLESS_SIMT_MAX_ACCESSES must be larger"};
    case ProblemKind::kNoProgress:
      return {cudaErrorLaunchTimeout, who + ": a loop has no end; nothing has happened here for " +
                                          std::to_string(limits_.seconds).substr(0, 4) + " seconds"};
  }
  return {cudaErrorUnknown, who};
}

}  // namespace waitless::simt::checked
