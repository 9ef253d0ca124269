#include "device_model.h"

#include "common/testing/cuda_test.h"
#include "common/testing/gguf_writer.h"
#include "common/testing/random_model.h"
#include "common/testing/refuses.h"
#include "tests/common/model/pack_panels.h"

namespace waitless {
namespace {

using DeviceModelTest = CudaTest;

std::vector<std::byte> bytes_of(const Weight& w) { return {w.data, w.data + w.bytes()}; }

// Guards weights that a later chapter wants on the device as they are.
TEST_F(DeviceModelTest, KeepsTheFormatThatConvertChooses) {
  // Oracle: the bytes on the host. Packed panels of F32, and BF16 as a file holds it.
  const Model model = random_model(small_config());
  for (const ConvertWeight& convert :
       {stored_as(WeightType::kBF16), ConvertWeight([](const Weight& w) { return pack_panels(w, 16); })}) {
    const DeviceModel device = upload(model, convert);
    const Weight expected = convert(model.layers[1].up);
    const DeviceWeight& up = device.layers[1].up;
    EXPECT_EQ(up.format, expected.format);
    EXPECT_EQ(up.panel_rows, expected.panel_rows);
    EXPECT_EQ(up.rows, expected.rows);
    EXPECT_EQ(up.cols, expected.cols);
    EXPECT_EQ(up.role, WeightRole::kUp);
    EXPECT_EQ(up.layer, 1);
    EXPECT_EQ(up.bytes.to_host(), bytes_of(expected));
    EXPECT_EQ(device.layers[1].feed_forward_norm.f32().cols, model.config.d_model);
  }
}

// Guards kernels that read float32.
TEST_F(DeviceModelTest, GivesFloatsOnlyOfPlainFloats) {
  const Model model = random_model(small_config());
  EXPECT_TRUE(refuses_with<std::invalid_argument>(
      [&] { upload(model, stored_as(WeightType::kBF16)).layers[0].up.f32(); }, {"BF16", "F32"}));
  EXPECT_TRUE(refuses_with<std::invalid_argument>(
      [&] { upload(model, [](const Weight& w) { return pack_panels(w, 16); }).layers[0].up.f32(); }, {"panels"}));
}

// Guards weights that a file stores in another format.
TEST_F(DeviceModelTest, ExpandsUnlessToldOtherwise) {
  // Oracle: expand() on the host.
  Model model = random_model(small_config());
  Weight& up = model.layers[0].up;
  up = stored_as(WeightType::kF16)(up);
  EXPECT_EQ(upload(model).layers[0].up.bytes.to_host(), bytes_of(expand(up)));
}

// Guards scales, and columns of a larger matrix.
TEST_F(DeviceModelTest, CopiesScalesAndClosesGaps) {
  // Oracle: by hand.
  const Model model = random_model(small_config());
  const std::vector<float> scales = {1, 2, 3};
  const DeviceModel device = upload(model, [&](const Weight& w) {
    Weight part = w;
    part.data += sizeof(float);
    part.cols -= 2;
    part.stride = w.row_bytes();
    part.scales = std::as_bytes(std::span(scales));
    return part;
  });
  const Matrix expected = model.layers[0].up.f32().middleCols(1, model.config.d_model - 2);
  EXPECT_EQ(device.layers[0].up.bytes.to_host(), bytes_of(make_weight(expected)));
  EXPECT_EQ(device.layers[0].up.scales.size(), 3 * sizeof(float));
}

// Guards layers of other kinds.
TEST_F(DeviceModelTest, TakesAlongKindsAndExtraWeights) {
  Model model = random_model(small_config());
  model.layers[0].kind = "recurrent";
  model.layers[0].query = Weight();
  model.layers[0].extra["ssm_a"] = make_weight(random_matrix(4, 3), WeightRole::kExtra, 0);
  model.extra["mtp.weight"] = make_weight(random_matrix(5, 2), WeightRole::kExtraMatrix);
  const DeviceModel device = upload(model);
  EXPECT_EQ(device.layers[0].kind, "recurrent");
  EXPECT_EQ(device.layers[0].query.rows, 0);
  EXPECT_EQ(device.layers[0].extra.at("ssm_a").f32().rows, 4);
  EXPECT_EQ(device.layers[1].query.f32().rows, model.config.q_dim());
  EXPECT_EQ(device.extra.at("mtp.weight").f32().cols, 2);
}

}  // namespace
}  // namespace waitless
