#pragma once

#include "common/model/batch.h"

namespace waitless {

/// A Batch as kernels read it: arrays in device memory that a DeviceBatch owns. What the batch has not is nullptr.
struct BatchView {
  int n_rows, n_logit_rows;
  const int* token;                // [n_rows] token ids; -1 - i: row i of `vectors`
  const float* vectors;            // [.., d_model]
  const int* sequence;             // [n_rows]
  const int* position;             // [n_rows]
  const int* first_visible;        // [n_rows]
  const int* last_visible;         // [n_rows]
  const int* parent;               // [n_rows]
  const Batch::Interval* context;  // [n_rows]
  const int* logit_rows;           // [n_logit_rows]
};

}  // namespace waitless
