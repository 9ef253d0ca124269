#include <string>

#include "common/base/not_implemented.h"
#include "common/testing/cuda_test.h"
#include "tests/common/cuda/launch_kernels.h"

namespace waitless {
namespace {

template <class Call>
cudaError_t code_of(Call call) {
  try {
    call();
  } catch (const CudaError& error) {
    return error.code();
  }
  return cudaSuccess;
}

class Launch : public CudaTest {};

// Guards the limits on grids and thread blocks; the oracle is CUDA's documentation.
TEST_F(Launch, RefusesWhatCudaRefuses) {
  EXPECT_EQ(code_of([] { launch_empty(1, 1); }), cudaSuccess);
  EXPECT_EQ(code_of([] { launch_empty(1, 1024); }), cudaSuccess);
  EXPECT_EQ(code_of([] { launch_empty(1, 1025); }), cudaErrorInvalidConfiguration);
  EXPECT_EQ(code_of([] { launch_empty(0, 32); }), cudaErrorInvalidConfiguration);
  EXPECT_EQ(code_of([] { launch_empty(32, 0); }), cudaErrorInvalidConfiguration);
  EXPECT_EQ(code_of([] { launch_empty_3d(65535, 1); }), cudaSuccess);
  EXPECT_EQ(code_of([] { launch_empty_3d(65536, 1); }), cudaErrorInvalidConfiguration);
  EXPECT_EQ(code_of([] { launch_empty_3d(1, 64); }), cudaSuccess);
  EXPECT_EQ(code_of([] { launch_empty_3d(1, 65); }), cudaErrorInvalidConfiguration);
}

// Guards dynamic shared memory: 48 KiB, more on request.
TEST_F(Launch, MoreThan48KilobytesOfSharedMemoryMustBeAskedFor) {
  allow_shared_bytes(48 << 10);
  EXPECT_EQ(code_of([] { launch_empty(1, 1, 48 << 10); }), cudaSuccess);
  EXPECT_EQ(code_of([] { launch_empty(1, 1, 49 << 10); }), cudaErrorInvalidValue);
  allow_shared_bytes(60 << 10);
  EXPECT_EQ(code_of([] { launch_empty(1, 1, 49 << 10); }), cudaSuccess);
  EXPECT_EQ(code_of([] { allow_shared_bytes(1 << 20); }), cudaErrorInvalidValue);
}

// Guards that an error is reported once.
TEST_F(Launch, AnErrorDoesNotReachTheNextLaunch) {
  EXPECT_NE(code_of([] { launch_empty(0, 32); }), cudaSuccess);
  EXPECT_EQ(code_of([] { launch_empty(1, 32); }), cudaSuccess);
}

// Guards the message of a failed launch.
TEST_F(Launch, NamesTheLineOfTheLaunchAndCudasError) {
  try {
    launch_empty(0, 32);
    FAIL() << "no error";
  } catch (const CudaError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("launch_kernels.cu:"), std::string::npos) << what;
    EXPECT_NE(what.find("invalid configuration argument (cudaErrorInvalidConfiguration)"), std::string::npos) << what;
  }
}

// Guards cuda_check in host code, which needs no device.
TEST(CudaCheck, ThrowsWithFileAndLine) {
  EXPECT_NO_THROW(cuda_check(cudaSuccess));
  try {
    cuda_check(cudaErrorMemoryAllocation);
    FAIL() << "no error";
  } catch (const CudaError& error) {
    const std::string what = error.what();
    EXPECT_EQ(error.code(), cudaErrorMemoryAllocation);
    EXPECT_NE(what.find("launch_test.cpp:" + std::to_string(__LINE__ - 5)), std::string::npos) << what;
    EXPECT_NE(what.find("out of memory (cudaErrorMemoryAllocation)"), std::string::npos) << what;
  }
}

// Guards not_implemented() in the host part of a .cu file.
TEST(NotImplementedInCuda, NamesExerciseFunctionAndLine) {
  try {
    call_unwritten_exercise();
    FAIL() << "no error";
  } catch (const NotImplemented& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find("not implemented yet: 9.1 call_unwritten_exercise ("), 0u) << what;
    EXPECT_NE(what.find("launch_kernels.cu:"), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace waitless
