#pragma once

namespace waitless::simt_test {

/// Kernels that do what they must not; each is launched with 64 threads and throws from launch().

void skip_barrier_with_warp_wait();
void shuffle_with_missing_lanes();
void recurse_without_end();
void use_large_local_array();
void dereference_null();
void write_far_out_of_bounds();
void call_not_implemented();
void throw_length_error();
void launch_from_kernel();

/// A kernel without faults; returns 64 if all its threads ran, and ran their barrier.
int healthy();

/// Reads a device pointer on the host, and ends the process.
float read_device_memory_on_host();

}  // namespace waitless::simt_test
