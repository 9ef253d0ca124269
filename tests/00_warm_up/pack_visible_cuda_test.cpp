#include <numeric>

#include "common/testing/cuda_test.h"
#include "common/testing/guarded.h"
#include "common/testing/mistakes.h"
#include "common/testing/thread_orders.h"
#include "pack_visible.h"

namespace waitless {
namespace {

constexpr int kGroup = 32;

class PackVisibleCuda : public CudaTest {};

struct Packed {
  std::vector<float> elements;
  std::vector<int> n_visible;
};

Packed pack(const std::vector<float>& x, const std::vector<int>& is_visible) {
  const int n = int(x.size());
  const DeviceBuffer<float> device_x(x);
  const DeviceBuffer<int> flags(is_visible);
  DeviceBuffer<float> packed(std::vector<float>(n, Guarded::kUnwritten));
  DeviceBuffer<int> n_visible(std::vector<int>((n + kGroup - 1) / kGroup, -1));
  pack_visible(device_x.data(), flags.data(), packed.data(), n_visible.data(), n);
  return {packed.to_host(), n_visible.to_host()};
}

Packed pack_on_the_host(const std::vector<float>& x, const std::vector<int>& is_visible) {
  Packed result{std::vector<float>(x.size(), Guarded::kUnwritten), std::vector<int>((x.size() + kGroup - 1) / kGroup)};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t group = i / kGroup;
    if (is_visible[i] != 0) result.elements[group * kGroup + result.n_visible[group]++] = x[i];
  }
  return result;
}

/// 1, 2, 3, ...
std::vector<float> counted(int n) {
  std::vector<float> x(n);
  std::iota(x.begin(), x.end(), 1.0f);
  return x;
}

// Grades exercise C0.6.
TEST_F(PackVisibleCuda, MovesWhatIsVisibleToTheFront) {
  // Oracle: by hand. Of 1 ... 32 only 3, 4 and 32 are visible.
  std::vector<int> is_visible(kGroup, 0);
  is_visible[2] = is_visible[3] = is_visible[31] = 1;
  const Packed got = pack(counted(kGroup), is_visible);
  EXPECT_EQ(got.n_visible, std::vector<int>{3});
  std::vector<float> expected(kGroup, Guarded::kUnwritten), shifted = expected;
  expected[0] = shifted[1] = 3, expected[1] = shifted[2] = 4, expected[2] = shifted[3] = 32;
  std::vector<float> reversed = expected, in_place = std::vector<float>(kGroup, Guarded::kUnwritten);
  std::swap(reversed[0], reversed[2]);
  in_place[2] = 3, in_place[3] = 4, in_place[31] = 32;
  const auto is = [&](const std::vector<float>& other) { return got.elements == other; };
  EXPECT_EQ(got.elements, expected) << (is(shifted)    ? "each lane counts its own vote among those below it"
                                        : is(reversed) ? "each lane counts the votes above it instead of those below"
                                        : is(in_place) ? "the elements stay where they were"
                                                       : "");
}

// Grades exercise C0.6.
TEST_F(PackVisibleCuda, OfAllAndOfNoneIsEverythingAndNothing) {
  // Oracle: by hand. A flag need not be 1.
  const std::vector<float> x = counted(2 * kGroup);
  const Packed all = pack(x, std::vector<int>(2 * kGroup, -4)), none = pack(x, std::vector<int>(2 * kGroup, 0));
  EXPECT_EQ(all.elements, x);
  EXPECT_EQ(all.n_visible, std::vector<int>(2, kGroup));
  EXPECT_EQ(none.elements, std::vector<float>(2 * kGroup, Guarded::kUnwritten)) << "nothing was visible";
  EXPECT_EQ(none.n_visible, std::vector<int>(2, 0));
}

// Grades exercise C0.6.
TEST_F(PackVisibleCuda, KeepsGroupsApartForAnySize) {
  // Oracle: a loop on the host. Sizes that end within a group, at the end of one, and within a thread block.
  in_all_thread_orders([] {
    for (const int n : {1, 31, 32, 33, 127, 128, 129, 1000}) {
      const std::vector<float> x = counted(n);
      std::vector<int> is_visible(n);
      for (int i = 0; i < n; ++i) is_visible[i] = (i * 37) % 11 < 4;
      const Packed expected = pack_on_the_host(x, is_visible), got = pack(x, is_visible);
      ASSERT_EQ(got.n_visible, expected.n_visible) << "n = " << n;
      ASSERT_EQ(got.elements, expected.elements) << "n = " << n;
    }
  });
}

// Guards the launcher, which is given.
TEST_F(PackVisibleCuda, OfNothingWritesNothing) {
  // Oracle: the header.
  const Packed nothing = pack({}, {});
  EXPECT_TRUE(nothing.elements.empty() && nothing.n_visible.empty());
}

}  // namespace
}  // namespace waitless
