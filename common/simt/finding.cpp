#include "common/simt/finding.h"

#include <cstdint>
#include <cstdio>

#include "common/simt/current.h"
#include "common/simt/source_line.h"

namespace waitless::simt {
namespace {

std::string in_parentheses(uint3 index) {
  char text[48];
  std::snprintf(text, sizeof text, "(%u,%u,%u)", index.x, index.y, index.z);
  return text;
}

}  // namespace

std::string describe_block() { return "thread block " + in_parentheses(current.block_index); }

std::string describe_thread(const uint3& thread) { return describe_block() + ", thread " + in_parentheses(thread); }

std::string describe_kernel(const void* kernel) {
  const std::string name = source_line(kernel).function;
  return name.empty() ? "a kernel" : name;
}

Finding describe_fault(const Fault& fault, const void* kernel, bool is_stack_overflow) {
  const SourceLine line = source_line(fault.code);
  const std::string who = describe_kernel(kernel) + " (" + describe_thread(current.thread.index) + ")" +
                          (line.place.empty() ? "" : " at " + line.place);
  if (is_stack_overflow) {
    return {cudaErrorLaunchFailure,
            who + " overflows the stack of its thread: a recursion has no end, or local arrays exceed 64 KiB"};
  }
  char address[32];
  std::snprintf(address, sizeof address, "%p", fault.address);
  return {cudaErrorIllegalAddress, who + " accesses address " + address +
                                       ", which is no device memory: an index is out of bounds, or the pointer was "
                                       "never set"};
}

}  // namespace waitless::simt
