#pragma once

#include <cuda_runtime.h>

#include "common/model/batch_view.h"

namespace waitless {

/// Batch::sees_cached() on the device: whether row t may see a token of `sequence` at `position` that is not a row of
/// the batch.
inline __device__ bool sees_cached(const BatchView& batch, int t, int sequence, int position) {
  if (sequence == batch.sequence[t] && batch.first_visible[t] <= position && position <= batch.last_visible[t]) {
    return true;
  }
  if (batch.context == nullptr) return false;
  const Batch::Interval& context = batch.context[t];
  return sequence == context.sequence && context.first <= position && position <= context.last;
}

/// Batch::sees() on the device: whether row t may see row s of the batch.
inline __device__ bool sees(const BatchView& batch, int t, int s) {
  if (!sees_cached(batch, t, batch.sequence[s], batch.position[s])) return false;
  if (batch.parent == nullptr || batch.parent[s] == Batch::kNoTree || batch.sequence[s] != batch.sequence[t]) {
    return true;
  }
  while (t > s) t = batch.parent[t];  // parents come before their children, so t meets s or falls below it
  return t == s;
}

}  // namespace waitless
