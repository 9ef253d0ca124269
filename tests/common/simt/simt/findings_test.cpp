#include <stdexcept>

#include "common/base/not_implemented.h"
#include "tests/common/simt/kernel_test.h"
#include "tests/common/simt/simt/faulty_kernels.h"

namespace waitless::simt_test {
namespace {

/// @return the message of the CudaError with that code that the call throws, or why it is another
std::string cuda_error(cudaError_t code, void (*call)()) {
  try {
    call();
  } catch (const CudaError& error) {
    return error.code() == code ? error.what() : std::string("another code: ") + error.what();
  } catch (const std::exception& error) {
    return std::string("another type: ") + error.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

/// Each fault is reported where it happened, and the next kernel runs unharmed.
class Findings : public KernelTest {
 protected:
  void TearDown() override {
    EXPECT_EQ(healthy(), 64);
    KernelTest::TearDown();
  }
};
INSTANTIATE_KERNEL_TEST(Findings);

// Guards threads that wait for each other at different places.
TEST_P(Findings, ADeadlockNamesThePlaces) {
  const std::string message = cuda_error(cudaErrorLaunchFailure, skip_barrier_with_warp_wait);
  EXPECT_TRUE(contains(message, "skip_barrier_kernel (thread block (0,0,0)) waits for ever")) << message;
  EXPECT_TRUE(contains(message, "63 threads at __syncthreads (tests/common/simt/simt/faulty_kernels.cu:15)"))
      << message;
  EXPECT_TRUE(contains(message, "1 thread at __syncwarp (tests/common/simt/simt/faulty_kernels.cu:13)")) << message;
}

// Guards shuffles whose mask names lanes that never come.
TEST_P(Findings, AShuffleWithMissingLanesIsADeadlock) {
  const std::string message = cuda_error(cudaErrorLaunchFailure, shuffle_with_missing_lanes);
  EXPECT_TRUE(contains(message, "32 threads at __shfl_xor_sync")) << message;
  EXPECT_TRUE(contains(message, "32 threads at __syncthreads")) << message;
}

// Guards the guard pages of fiber stacks.
TEST_P(Findings, EndlessRecursionIsAStackOverflow) {
  const std::string message = cuda_error(cudaErrorLaunchFailure, recurse_without_end);
  EXPECT_TRUE(contains(message, "recurse_kernel (thread block (0,0,0), thread (")) << message;
  EXPECT_TRUE(contains(message, "overflows the stack")) << message;
}

// Guards arrays that are larger than the stack and the guard page together.
TEST_P(Findings, ALargeLocalArrayIsAStackOverflow) {
  const std::string message = cuda_error(cudaErrorLaunchFailure, use_large_local_array);
  EXPECT_TRUE(contains(message, "overflows the stack")) << message;
}

// Guards pointers that were never set.
TEST_P(Findings, ANullPointerIsAnIllegalAddress) {
  const std::string message = cuda_error(cudaErrorIllegalAddress, dereference_null);
  EXPECT_TRUE(contains(message, "null_kernel (thread block (0,0,0), thread (")) << message;
}

// Guards addresses that no allocation has reached.
TEST_P(Findings, AFarIndexIsAnIllegalAddress) {
  const std::string message = cuda_error(cudaErrorIllegalAddress, write_far_out_of_bounds);
  EXPECT_TRUE(contains(message, "out_of_bounds_kernel")) << message;
}

// Guards exercises that are not written yet.
TEST_P(Findings, NotImplementedLeavesTheLaunch) {
  try {
    call_not_implemented();
    FAIL() << "no exception";
  } catch (const NotImplemented& error) {
    EXPECT_STREQ(error.what(),
                 "not implemented yet: C9.9 not_implemented_kernel (tests/common/simt/simt/faulty_kernels.cu:49)");
  }
}

// Guards other exceptions, thrown while other threads wait at a barrier.
TEST_P(Findings, ExceptionsLeaveTheLaunch) { EXPECT_THROW(throw_length_error(), std::length_error); }

// Guards against launches inside kernels, which nvcc would not compile.
TEST_P(Findings, AKernelCannotLaunch) { EXPECT_THROW(launch_from_kernel(), std::logic_error); }

// Guards device memory against the host.
TEST(HostAccess, ToDeviceMemoryEndsTheProcessWithASentence) {
  EXPECT_DEATH(read_device_memory_on_host(), "host code in .*read_device_memory_on_host.*accesses device memory");
}

}  // namespace waitless::simt_test
