// Guards weights on the device: the bytes of a Weight, panels and all, mean there what they mean on the host.
#include "common/cuda/device_buffer.h"
#include "common/model/weight.h"
#include "common/testing/compare.h"
#include "common/testing/cuda_test.h"
#include "common/testing/gguf_writer.h"
#include "common/testing/on_device.h"
#include "common/testing/random_model.h"
#include "tests/common/cuda/packed_weight_kernels.h"
#include "tests/common/model/pack_panels.h"

namespace waitless {
namespace {

using PackedWeightOnTheDevice = CudaTest;

Matrix linear_on_device(const Weight& w, const Matrix& x) {
  const DeviceBuffer<std::byte> bytes(std::span(w.data, std::size_t(w.bytes())));
  const OnDevice device_x(x);
  OnDevice out = OnDevice::unwritten(x.rows(), w.rows);
  const auto linear = w.type() == WeightType::kF32 ? linear_panels_f32 : linear_panels_bf16;
  linear(bytes.data(), w.panel_rows, int(w.rows), int(w.cols), device_x.data(), int(x.rows()), DeviceMatrix(out).data);
  return out.to_host();
}

// Guards the layout of panels.
TEST_F(PackedWeightOnTheDevice, GivesTheProductThatThePlainOneGives) {
  // Oracle: Eigen on the host, on the values that the format holds.
  for (const WeightType type : {WeightType::kF32, WeightType::kBF16}) {
    for (const auto& [rows, cols] : {std::pair<Index, Index>(1, 1), {31, 33}, {64, 7}, {130, 48}}) {
      const Weight plain = stored_as(type)(make_weight(random_matrix(rows, cols)));
      const Matrix x = random_matrix(3, cols, 2);
      EXPECT_TRUE(near(x * expand(plain).f32().transpose(), linear_on_device(pack_panels(plain, 64), x), 1e-5))
          << plain.format->name << " " << rows;
    }
  }
}

}  // namespace
}  // namespace waitless
