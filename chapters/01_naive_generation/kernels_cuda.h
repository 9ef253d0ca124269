#pragma once

#include <cuda_runtime.h>

#include "common/cuda/device_matrix.h"
#include "common/model/batch_view.h"
#include "common/model/config.h"

// The operators of this chapter on the device. Each function below launches one kernel on `stream` and does not wait
// for it; with no rows it launches nothing. All matrices and arrays are device memory. All throw std::invalid_argument
// if the shapes do not hold and CudaError if CUDA refuses the launch. Offsets into matrices need 64 bits.

namespace waitless {

/// The input of each row: x[t] = table[batch.token[t]], or the row of batch.vectors that a negative token names. The
/// caller has checked the tokens.
/// @param table [V, d_model]   @param x [T, d_model]
void embed_cuda(ConstDeviceMatrix table, const BatchView& batch, DeviceMatrix x, cudaStream_t stream = nullptr);

/// The norm of rms_norm.h for the rows that are wanted: out[r] = rms_norm(x[rows[r]]).
/// @param x [T, D]   @param gain [1, D]   @param rows [R], or nullptr for all rows in order
/// @param out [R, D]; may be x itself if rows is nullptr
void rms_norm_cuda(ConstDeviceMatrix x, ConstDeviceMatrix gain, float eps, const int* rows, DeviceMatrix out,
                   cudaStream_t stream = nullptr);

/// The rotation of rope.h, in place, and as accurate: the angle is a double.
/// @param x [T, n * head_dim]   @param position [T]
void rope_cuda(DeviceMatrix x, const int* position, int head_dim, const RopeParameters& parameters,
               cudaStream_t stream = nullptr);

/// out = x W^T, one thread for each element of out.
/// @param w [O, I]   @param x [T, I]   @param out [T, O]
void linear_cuda(ConstDeviceMatrix w, ConstDeviceMatrix x, DeviceMatrix out, cudaStream_t stream = nullptr);

/// The attention of attention.h, one thread block for each row and head. Its scores lie in shared memory, so the rows
/// of a batch are limited to about 12,000 (48 KB).
/// @param q, out [T, n_heads * D]   @param k, v [T, n_kv_heads * D]
void attention_cuda(const Config& config, ConstDeviceMatrix q, ConstDeviceMatrix k, ConstDeviceMatrix v,
                    const BatchView& batch, DeviceMatrix out, cudaStream_t stream = nullptr);

/// out = silu(gate) * up, element by element.
/// @param gate, up, out [T, d_ff]; out may be gate or up
void swiglu_cuda(ConstDeviceMatrix gate, ConstDeviceMatrix up, DeviceMatrix out, cudaStream_t stream = nullptr);

/// x += y, the step back into the residual stream.
/// @param x, y [T, d_model]
void add_cuda(DeviceMatrix x, ConstDeviceMatrix y, cudaStream_t stream = nullptr);

/// For each row the column of its largest element, the first one if there are several. A NaN is never the largest: it
/// is passed over, even for -infinity. If a whole row is NaN, column 0.
/// @param x [R, V], V >= 1   @param column [R]
void argmax_cuda(ConstDeviceMatrix x, int* column, cudaStream_t stream = nullptr);

}  // namespace waitless
