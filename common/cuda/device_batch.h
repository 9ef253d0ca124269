#pragma once

#include "common/cuda/device_buffer.h"
#include "common/model/batch.h"

namespace waitless {

/// The entries of a Batch as kernels read them: arrays in device memory that a DeviceBatch owns.
struct BatchView {
  int n_rows;
  const int* sequence;    // [n_rows]
  const int* position;    // [n_rows]
  const long long* slot;  // [n_rows]
  const int* horizon;     // [n_rows]
  const int* parent;      // [n_rows], or nullptr if the batch holds no tree
  const int* logit_rows;  // [n_logit_rows]
  int n_logit_rows;
};

/// A Batch copied to the device.
class DeviceBatch {
 public:
  explicit DeviceBatch(const Batch& batch)
      : sequence_(batch.sequence),
        position_(batch.position),
        slot_(std::vector<long long>(batch.slot.begin(), batch.slot.end())),
        horizon_(batch.horizon),
        parent_(batch.parent),
        logit_rows_(batch.logit_rows) {}

  BatchView view() const {
    return {int(position_.size()), sequence_.data(), position_.data(),   slot_.data(),
            horizon_.data(),       parent_.data(),   logit_rows_.data(), int(logit_rows_.size())};
  }

 private:
  DeviceBuffer<int> sequence_, position_;
  DeviceBuffer<long long> slot_;
  DeviceBuffer<int> horizon_, parent_, logit_rows_;
};

}  // namespace waitless
