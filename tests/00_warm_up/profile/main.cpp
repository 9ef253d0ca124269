#include <cstdio>
#include <vector>

#include "block_sum.h"
#include "common/base/not_implemented.h"
#include "common/cuda/device_buffer.h"
#include "copy.h"
#include "pack_visible.h"
#include "saxpy.h"
#include "transpose.h"
#include "warp_sum.h"

/// What ./course profile 00 runs: each kernel of the chapter that is written, once, on sizes without a remainder.
int main() {
  using namespace waitless;
  constexpr int kRows = 256, kCols = 256, kSize = kRows * kCols;
  const DeviceBuffer<float> x(std::vector<float>(kSize, 1.0f));
  DeviceBuffer<float> y(std::vector<float>(kSize, 2.0f));
  DeviceBuffer<float> sums(kSize);
  std::vector<int> every_third(kSize);
  for (int i = 0; i < kSize; i += 3) every_third[i] = 1;
  const DeviceBuffer<int> is_visible(every_third);
  DeviceBuffer<int> n_visible(kSize / 32);
  const auto run = [](auto launch) {
    try {
      launch();
    } catch (const NotImplemented& missing) {
      std::puts(missing.what());
    }
  };
  run([&] { saxpy(2.0f, x.data(), y.data(), kSize); });
  run([&] { copy_rows(x.data(), y.data(), kRows, kCols); });
  run([&] { copy_columns(x.data(), y.data(), kRows, kCols); });
  run([&] { block_sums(x.data(), sums.data(), kSize); });
  run([&] { warp_sums(x.data(), sums.data(), kSize); });
  run([&] { transpose(x.data(), y.data(), kRows, kCols); });
  run([&] { pack_visible(x.data(), is_visible.data(), y.data(), n_visible.data(), kSize); });
}
