#include <cuda_runtime.h>

#include <cstring>
#include <vector>

#include "common/cuda/device_buffer.h"
#include "common/testing/cuda_test.h"

namespace waitless {
namespace {

class RuntimeApi : public CudaTest {
 protected:
  void TearDown() override { cudaGetLastError(); }
};

// Guards the memory calls without DeviceBuffer.
TEST_F(RuntimeApi, CopiesInAllDirections) {
  int *first = nullptr, *second = nullptr;
  ASSERT_EQ(cudaMalloc(&first, 40), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&second, 40), cudaSuccess);
  const std::vector<int> in{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<int> out(10);
  EXPECT_EQ(cudaMemcpy(first, in.data(), 40, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(second, first, 40, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemset(first, 0, 40), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(out.data(), second, 40, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out, in);
  // Rows of 8 bytes from a pitch of 20 to a pitch of 8: elements 0, 1 and 5, 6.
  EXPECT_EQ(cudaMemcpy2D(out.data(), 8, second, 20, 8, 2, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(std::vector<int>(out.begin(), out.begin() + 4), (std::vector<int>{0, 1, 5, 6}));
  EXPECT_EQ(cudaFree(first), cudaSuccess);
  EXPECT_EQ(cudaFree(second), cudaSuccess);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
}

// Guards the last error: it is the first that was not taken.
TEST_F(RuntimeApi, TheLastErrorStaysUntilItIsTaken) {
  int on_host = 0;
  EXPECT_NE(cudaFree(&on_host), cudaSuccess);
  const cudaError_t error = cudaPeekAtLastError();
  EXPECT_NE(error, cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), error);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

// Guards events and streams.
TEST_F(RuntimeApi, EventsMeasureTimeThatPasses) {
  cudaStream_t stream = nullptr;
  cudaEvent_t start = nullptr, end = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  float milliseconds = -1.0f;
  EXPECT_EQ(cudaEventRecord(start, stream), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(end, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
  EXPECT_GE(milliseconds, 0.0f);
  EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(end), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

// Guards device properties.
TEST_F(RuntimeApi, TheDeviceDescribesItself) {
  int n_devices = 0, warp_size = 0;
  cudaDeviceProp properties;
  EXPECT_EQ(cudaGetDeviceCount(&n_devices), cudaSuccess);
  EXPECT_GE(n_devices, 1);
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_EQ(properties.warpSize, 32);
  EXPECT_EQ(properties.maxThreadsPerBlock, 1024);
  EXPECT_EQ(properties.sharedMemPerBlock, 48u << 10);
  EXPECT_EQ(cudaDeviceGetAttribute(&warp_size, cudaDevAttrWarpSize, 0), cudaSuccess);
  EXPECT_EQ(warp_size, 32);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(n_devices), cudaErrorInvalidDevice);
  EXPECT_FALSE(device_name().empty());
}

// Guards the names and sentences of errors, which tools search for.
TEST(RuntimeApiErrors, HaveCudasNamesAndSentences) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorNoDevice), "no CUDA-capable device is detected");
  EXPECT_EQ(static_cast<int>(cudaErrorInvalidConfiguration), 9);
}

#if defined(WAITLESS_SIMT)

/// The sentence that simt adds to CUDA's.
std::string report_of(cudaError_t result) {
  try {
    cuda_check(result);
  } catch (const CudaError& error) {
    return error.what();
  }
  return "";
}

// Guards the sizes and sides of copies, which a GPU checks only in part.
TEST_F(RuntimeApi, CopiesAreCheckedAgainstAllocations) {
  const DeviceBuffer<int> buffer(10);
  std::vector<int> host(20);
  int* const device = const_cast<int*>(buffer.data());
  EXPECT_NE(report_of(cudaMemcpy(device, host.data(), 44, cudaMemcpyHostToDevice))
                .find("the destination has 40 bytes left in its allocation of 40"),
            std::string::npos);
  EXPECT_NE(
      report_of(cudaMemcpy(host.data(), device + 9, 8, cudaMemcpyDeviceToHost)).find("the source has 4 bytes left"),
      std::string::npos);
  EXPECT_NE(report_of(cudaMemcpy(host.data(), host.data() + 10, 8, cudaMemcpyHostToDevice))
                .find("the destination is a host pointer"),
            std::string::npos);
  EXPECT_NE(
      report_of(cudaMemcpy(device, device, 8, cudaMemcpyDeviceToHost)).find("the destination is a device pointer"),
      std::string::npos);
  EXPECT_NE(report_of(cudaMemset(device, 0, 41)).find("has 40 bytes left"), std::string::npos);
}

// Guards cudaFree.
TEST_F(RuntimeApi, FreeingTwiceIsReported) {
  int* data = nullptr;
  ASSERT_EQ(cudaMalloc(&data, 4), cudaSuccess);
  ASSERT_EQ(cudaFree(data), cudaSuccess);
  EXPECT_NE(report_of(cudaFree(data)).find("freed twice"), std::string::npos);
  EXPECT_NE(report_of(cudaMemset(data, 0, 4)).find("not allocated, or no longer"), std::string::npos);
}

#endif

}  // namespace
}  // namespace waitless
