#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/cuda/device_buffer.h"
#include "common/cuda/device_matrix.h"
#include "common/model/model.h"

namespace waitless {

/// A weight in device memory: the bytes of weight.h, without gaps between rows or panels.
struct DeviceWeight {
  WeightRole role = WeightRole::kOutput;
  int layer = -1;
  const WeightFormat* format = &kF32Format;
  int rows = 0;
  int cols = 0;
  int panel_rows = 1;
  DeviceBuffer<std::byte> bytes;
  DeviceBuffer<std::byte> scales;

  /// The values themselves.
  /// @throws std::invalid_argument naming the format unless it is F32, row-major
  ConstDeviceMatrix f32() const;
};

/// A Layer on the device.
using DeviceLayer = BasicLayer<DeviceWeight>;

/// A Model on the device. Tied embeddings are stored once.
struct DeviceModel {
  Config config;
  DeviceWeight token_embedding;
  std::vector<DeviceLayer> layers;
  DeviceWeight output_norm;
  DeviceWeight own_output;  // empty when the output projection is the embedding
  std::map<std::string, DeviceWeight, std::less<>> extra;

  const DeviceWeight& output() const { return own_output.rows == 0 ? token_embedding : own_output; }
};

/// Copies a model to the device. Matrices go there as `convert` makes them: expanded to F32, or with keep_as_in_file
/// in whatever format they have. Everything else becomes F32.
/// @throws CudaError if the device has too little memory
DeviceModel upload(const Model& model, const ConvertWeight& convert = expand);

}  // namespace waitless
