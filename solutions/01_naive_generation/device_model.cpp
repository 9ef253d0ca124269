#include "device_model.h"

namespace waitless {
namespace {

DeviceWeight upload(const Weight& weight) {
  const Weight f32 = expand(weight);
  const float* values = f32.f32().data();
  return {weight.role, weight.layer, int(weight.rows), int(weight.cols),
          DeviceBuffer<float>(std::span(values, std::size_t(weight.rows * weight.cols)))};
}

}  // namespace

DeviceModel upload(const Model& model) {
  DeviceModel device;
  device.config = model.config;
  device.token_embedding = upload(model.token_embedding);
  for (const LayerWeights& layer : model.layers) {
    device.layers.push_back({
        .attention_norm = upload(layer.attention_norm),
        .query = upload(layer.query),
        .key = upload(layer.key),
        .value = upload(layer.value),
        .attention_output = upload(layer.attention_output),
        .feed_forward_norm = upload(layer.feed_forward_norm),
        .gate = upload(layer.gate),
        .up = upload(layer.up),
        .down = upload(layer.down),
    });
  }
  device.output_norm = upload(model.output_norm);
  if (model.output.data != model.token_embedding.data) device.own_output = upload(model.output);
  return device;
}

}  // namespace waitless
