#pragma once

#include <cuda_runtime.h>

#include "common/cuda/device_batch.h"

namespace waitless {

/// Batch::sees() on the device: whether row t may see row s of the batch.
inline __device__ bool sees(const BatchView& batch, int t, int s) {
  if (batch.sequence[s] != batch.sequence[t] || batch.position[s] > batch.horizon[t]) return false;
  if (batch.parent == nullptr || batch.parent[s] == Batch::kNoTree) return true;
  while (t > s) t = batch.parent[t];  // parents come before their children, so t meets s or falls below it
  return t == s;
}

}  // namespace waitless
