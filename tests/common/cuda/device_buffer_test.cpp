#include "common/cuda/device_buffer.h"

#include <numeric>

#include "common/testing/cuda_test.h"

namespace waitless {
namespace {

class DeviceBuffers : public CudaTest {};

std::vector<int> count_to(int n) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

// Guards the way to the device and back.
TEST_F(DeviceBuffers, ReturnWhatWasCopiedIn) {
  for (const int n : {1, 31, 1000}) {
    const DeviceBuffer<int> buffer(count_to(n));
    EXPECT_EQ(buffer.size(), static_cast<std::size_t>(n));
    EXPECT_EQ(buffer.size_bytes(), 4u * n);
    EXPECT_EQ(buffer.to_host(), count_to(n));
  }
}

// Guards copies of a part.
TEST_F(DeviceBuffers, CopyPartsAtAnOffset) {
  DeviceBuffer<int> buffer(count_to(10));
  buffer.copy_from_host(std::vector<int>{70, 80}, 7);
  std::vector<int> middle(4);
  buffer.copy_to_host(middle, 5);
  EXPECT_EQ(middle, (std::vector<int>{5, 6, 70, 80}));
}

// Guards sizes: a copy that does not fit is refused before CUDA sees it.
TEST_F(DeviceBuffers, RefuseCopiesThatDoNotFit) {
  DeviceBuffer<int> buffer(10);
  std::vector<int> host(11);
  EXPECT_THROW(buffer.copy_from_host(host), std::out_of_range);
  EXPECT_THROW(buffer.copy_to_host(host), std::out_of_range);
  EXPECT_THROW(buffer.copy_from_host(std::vector<int>(1), 10), std::out_of_range);
  EXPECT_THROW(buffer.copy_from_host(std::vector<int>(1), ~std::size_t{0}), std::out_of_range);
  EXPECT_NO_THROW(buffer.copy_from_host(std::vector<int>(), 10));
}

// Guards fill_bytes.
TEST_F(DeviceBuffers, FillEveryByte) {
  DeviceBuffer<unsigned> buffer(3);
  buffer.fill_bytes(0xab);
  EXPECT_EQ(buffer.to_host(), std::vector<unsigned>(3, 0xababababu));
}

// Guards empty buffers.
TEST_F(DeviceBuffers, MayBeEmpty) {
  DeviceBuffer<int> none, zero(0);
  zero.fill_bytes(1);
  EXPECT_EQ(none.size(), 0u);
  EXPECT_TRUE(zero.to_host().empty());
}

// Guards ownership.
TEST_F(DeviceBuffers, MoveTheirMemory) {
  DeviceBuffer<int> first(count_to(5)), second(count_to(3));
  const int* const data = first.data();
  second = std::move(first);
  EXPECT_EQ(second.data(), data);
  EXPECT_EQ(second.to_host(), count_to(5));
  const DeviceBuffer<int> third(std::move(second));
  EXPECT_EQ(third.to_host(), count_to(5));
}

// Guards against exhaustion: an allocation that is too large says so, the memory of others is returned.
TEST_F(DeviceBuffers, ReportWhenMemoryRunsOut) {
  try {
    const DeviceBuffer<char> huge(std::size_t{1} << 46);
    FAIL() << "no error";
  } catch (const CudaError& error) {
    EXPECT_EQ(error.code(), cudaErrorMemoryAllocation);
  }
  std::size_t n_free_before = 0, n_free_after = 0, n_total = 0;
  cuda_check(cudaMemGetInfo(&n_free_before, &n_total));
  for (int i = 0; i < 100; ++i) DeviceBuffer<char>(n_free_before / 2);
  cuda_check(cudaMemGetInfo(&n_free_after, &n_total));
  EXPECT_EQ(n_free_after, n_free_before);
}

}  // namespace
}  // namespace waitless
