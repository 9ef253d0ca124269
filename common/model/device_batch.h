#pragma once

#include <vector>

#include "common/cuda/packed_upload.h"
#include "common/model/batch_view.h"

namespace waitless {

/// Batches on the device, one after another in the same memory.
class DeviceBatch {
 public:
  DeviceBatch() = default;
  explicit DeviceBatch(const Batch& batch, cudaStream_t stream = nullptr) { upload(batch, stream); }

  /// Takes the place of the batch before, in one copy that is queued on the stream. Nothing is allocated once a batch
  /// of this size has been here.
  void upload(const Batch& batch, cudaStream_t stream = nullptr) {
    // Number the rows of `vectors`
    token_ = batch.token;
    int n_vectors = 0;
    for (int& token : token_) {
      if (token == Batch::kVector) token = -1 - n_vectors++;
    }

    // Pack and copy
    arrays_.clear();
    const auto token = arrays_.add(token_);
    const auto vectors = arrays_.add(batch.vectors);
    const auto sequence = arrays_.add(batch.sequence), position = arrays_.add(batch.position);
    const auto first_visible = arrays_.add(batch.first_visible), last_visible = arrays_.add(batch.last_visible);
    const auto parent = arrays_.add(batch.parent);
    const auto context = arrays_.add(batch.context);
    const auto logit_rows = arrays_.add(batch.logit_rows);
    arrays_.upload(stream);

    // Say where everything lies
    view_ = {.n_rows = batch.n_rows(),
             .n_logit_rows = int(batch.logit_rows.size()),
             .token = arrays_.at(token),
             .vectors = arrays_.at(vectors),
             .sequence = arrays_.at(sequence),
             .position = arrays_.at(position),
             .first_visible = arrays_.at(first_visible),
             .last_visible = arrays_.at(last_visible),
             .parent = arrays_.at(parent),
             .context = arrays_.at(context),
             .logit_rows = arrays_.at(logit_rows)};
  }

  /// Valid until the next upload.
  const BatchView& view() const { return view_; }

 private:
  PackedUpload arrays_;
  std::vector<int> token_;
  BatchView view_ = {};
};

}  // namespace waitless
