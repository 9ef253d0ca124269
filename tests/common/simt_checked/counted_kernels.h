#pragma once

#include <vector>

namespace waitless::simt_test {

// Kernels whose counters are derived on paper in counters_test.cpp. Device pointers; the launch shape is in the test.

void copy(float* y, const float* x, int n);                     // thread blocks of 256
void copy_shifted(float* y, const float* x, int n, int shift);  // x[i + shift]
void copy_strided(float* y, const float* x, int n, int stride);
void copy_vectors(float* y, const float* x, int n);  // float4
void copy_pairs(float* y, const float* x, int n);    // float2
void copy_bytes(unsigned char* y, const unsigned char* x, int n);
void copy_doubles(double* y, const double* x, int n);
void copy_by_one_thread(float* y, const float* x, int n);
void broadcast(float* y, const float* x, int n);  // all read x[0]
void gather(float* y, const float* x, const int* index, int n);
void sum_atomically(int* sum, const int* x, int n);                                       // one atomicAdd a thread
void rms_norm_rows(float* y, const float* x, const float* gain, int n_rows, int n_cols);  // a block a row
void transpose(float* y, const float* x, int n, bool is_padded);                          // 32x32 tiles
void tiled_multiply(float* c, const float* a, const float* b, int n);                     // 16x16 tiles
void naive_multiply(float* c, const float* a, const float* b, int n);
void shared_strided(float* y, int stride);            // one warp: shared[lane * stride]
void shared_vectors(float* y);                        // one warp: float4 each
void shared_doubles(double* y);                       // one warp: 8 bytes each
void block_sums(float* sums, const float* x, int n);  // 256 threads, shared memory
void warp_sums(float* sums, const float* x, int n);   // shuffles
void half_idle(float* y, const float* x, int n);      // even threads only
void read_halves(float* y, const void* x, int n);     // half_t
void call_twice(float* y, float* x);                  // two buffers by one instruction

}  // namespace waitless::simt_test
