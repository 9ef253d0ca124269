#include "device_model.h"

#include <stdexcept>

#include "common/model/layer_weights.h"

namespace waitless {
namespace {

DeviceWeight upload_weight(const Weight& weight, const ConvertWeight& convert) {
  if (weight.rows == 0) return {};
  const Weight w = is_matrix(weight.role) ? convert(weight) : expand(weight);
  DeviceBuffer<std::byte> bytes(std::size_t(w.n_panels() * w.panel_bytes()));
  const Index n_runs = w.stride == 0 ? 1 : w.n_panels();  // of bytes without a gap
  const std::size_t run = bytes.size() / std::size_t(n_runs);
  for (Index i = 0; i < n_runs; ++i) bytes.copy_from_host({w.panel_data(i), run}, std::size_t(i) * run);
  return {.role = w.role,
          .layer = w.layer,
          .format = w.format,
          .rows = int(w.rows),
          .cols = int(w.cols),
          .panel_rows = w.panel_rows,
          .bytes = std::move(bytes),
          .scales = DeviceBuffer<std::byte>(w.scales)};
}

}  // namespace

ConstDeviceMatrix DeviceWeight::f32() const {
  if (format != &kF32Format || panel_rows != 1) {
    throw std::invalid_argument(std::string("the weight on the device is of type ") + format->name +
                                (panel_rows > 1 ? " in panels" : "") + ", not row-major F32");
  }
  return {reinterpret_cast<const float*>(bytes.data()), rows, cols};
}

DeviceModel upload(const Model& model, const ConvertWeight& convert) {
  DeviceModel device;
  device.config = model.config;
  device.token_embedding = upload_weight(model.token_embedding, convert);
  for (const Layer& layer : model.layers) {
    DeviceLayer& copy = device.layers.emplace_back();
    copy.kind = layer.kind;
    for_each_weight(
        layer, [&](const std::string& name, const Weight& w) { weight_named(copy, name) = upload_weight(w, convert); });
  }
  device.output_norm = upload_weight(model.output_norm, convert);
  if (!model.has_tied_output()) device.own_output = upload_weight(model.output, convert);
  for (const auto& [name, w] : model.extra) device.extra[name] = upload_weight(w, convert);
  return device;
}

}  // namespace waitless
