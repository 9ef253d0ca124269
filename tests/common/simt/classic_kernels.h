#pragma once

#include <vector>

namespace waitless::simt_test {

/// Eight kernels that everyone who learns CUDA meets. Sizes need not be multiples of anything.

/// The sum of x: a tree in shared memory in each thread block, then one atomic.
float reduce_sum(const std::vector<float>& x);
/// out[i] = x[0] + .. + x[i]: a scan of each thread block, of the block sums, and an addition.
std::vector<int> inclusive_scan(const std::vector<int>& x);
/// How often each byte occurs, counted in shared memory first.
std::vector<int> histogram(const std::vector<unsigned char>& bytes);
/// [n_rows, n_cols] to [n_cols, n_rows] through 32 x 33 tiles.
std::vector<float> transpose(const std::vector<float>& x, int n_rows, int n_cols);
/// [m, k] times [k, n] in 16 x 16 tiles.
std::vector<float> multiply(const std::vector<float>& a, const std::vector<float>& b, int m, int k, int n);
/// The sum of x in one launch: the thread block that finishes last adds the partial sums.
float last_block_sum(const std::vector<float>& x);
/// The even numbers of x, in any order; one atomic for each warp.
std::vector<int> keep_even(const std::vector<int>& x);
/// (x - mean) / sqrt(variance + eps) * gain + bias of each row; one warp a row.
std::vector<float> layer_norm(const std::vector<float>& x, const std::vector<float>& gain,
                              const std::vector<float>& bias, int n_rows);

}  // namespace waitless::simt_test
