#pragma once

#include <vector>

#include "common/cuda/device_buffer.h"
#include "common/cuda/device_matrix.h"
#include "common/model/model.h"

namespace waitless {

/// A weight in device memory, expanded to float32.
struct DeviceWeight {
  WeightRole role = WeightRole::kOutput;
  int layer = -1;
  int rows = 0;
  int cols = 0;
  DeviceBuffer<float> values;

  ConstDeviceMatrix view() const { return {values.data(), rows, cols}; }
};

/// LayerWeights on the device; shapes are those of model.h.
struct DeviceLayerWeights {
  DeviceWeight attention_norm, query, key, value, attention_output, feed_forward_norm, gate, up, down;
};

/// A Model on the device. Tied embeddings are stored once.
struct DeviceModel {
  Config config;
  DeviceWeight token_embedding;
  std::vector<DeviceLayerWeights> layers;
  DeviceWeight output_norm;
  DeviceWeight own_output;  // empty when the output projection is the embedding

  const DeviceWeight& output() const { return own_output.rows == 0 ? token_embedding : own_output; }
};

/// Copies a model to the device.
/// @throws CudaError if the device has too little memory
DeviceModel upload(const Model& model);

}  // namespace waitless
