#pragma once

#include <vector>

namespace waitless::simt_test {

/// A 2-D static shared array transposed by (8, 4) threads.
std::vector<int> static_shared_transpose();
/// Dynamic shared memory as two arrays: n ints, then n doubles.
std::vector<double> dynamic_shared_as_two_arrays(int n);
/// 60,000 bytes of dynamic shared memory, by cudaFuncSetAttribute: the last thread's own element.
std::vector<int> large_dynamic_shared();
/// Shared arrays whose size is a template parameter; two instances in one launch must not share memory.
std::vector<int> templated_shared();
/// A device function with a shared array of its own, called twice.
std::vector<int> shared_in_device_function();
/// Each of 32 thread blocks sums its own numbers in shared memory.
std::vector<int> shared_belongs_to_a_block();
/// A polynomial whose coefficients lie in constant memory: c0 + c1 x + c2 x^2 for x = 0 .. 9, twice.
std::vector<float> constant_polynomial();
/// A __device__ variable counted up by 50 threads, read and reset by the host.
std::vector<int> device_variable();
/// out[i] = 2 in[i] through float4, and through int2 with __ldg.
std::vector<float> vector_loads();
/// Sums of the components of each vector type, made by its make_ function.
std::vector<double> vector_types();
/// Local arrays indexed at run time.
std::vector<int> local_arrays();
/// sizeof and alignof of int2, float3, float4, double2, uchar4, dim3.
std::vector<int> vector_layout();

}  // namespace waitless::simt_test
