#include "common/cuda/packed_upload.h"

#include <vector>

#include "common/testing/cuda_test.h"

namespace waitless {
namespace {

using PackedUploads = CudaTest;

/// n elements of device memory.
template <class T>
std::vector<T> on_host(const T* data, std::size_t n) {
  std::vector<T> host(n);
  cuda_check(cudaMemcpy(host.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

struct Pair {
  int a, b;
  bool operator==(const Pair&) const = default;
};

// Guards arrays of several types behind one another.
TEST_F(PackedUploads, PutEachArrayWhereTheySay) {
  // Oracle: by hand. Twice, the second time with more, so that memory has to grow.
  PackedUpload arrays;
  for (const std::size_t n : {3, 1000}) {
    const std::vector<int> ints(n, 7);
    const std::vector<float> floats(n + 1, 2.5f);
    const std::vector<Pair> pairs(n + 2, Pair{1, -2});
    arrays.clear();
    const auto of_ints = arrays.add(ints);
    const auto of_nothing = arrays.add(std::vector<int>());
    const auto of_floats = arrays.add(floats);
    const auto of_pairs = arrays.add(pairs);
    arrays.upload(nullptr);
    EXPECT_EQ(on_host(arrays.at(of_ints), n), ints);
    EXPECT_EQ(arrays.at(of_nothing), nullptr);
    EXPECT_EQ(on_host(arrays.at(of_floats), n + 1), floats);
    EXPECT_EQ(on_host(arrays.at(of_pairs), n + 2), pairs);
  }
}

// Guards an upload of nothing.
TEST_F(PackedUploads, MayBeEmpty) {
  // Oracle: by hand.
  PackedUpload arrays;
  const auto place = arrays.add(std::vector<int>());
  arrays.upload(nullptr);
  EXPECT_EQ(arrays.at(place), nullptr);
}

}  // namespace
}  // namespace waitless
