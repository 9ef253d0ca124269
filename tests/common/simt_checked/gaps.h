#pragma once

namespace waitless::simt_test {

// Wrong kernels that the checks do not notice, and one right kernel that they stop.

void index_into_another_buffer();
void unused_read_out_of_bounds();
void memcpy_out_of_bounds();
void pointer_into_another_shared_variable();
void barrier_in_a_branch();
void write_the_same_value();
void read_without_a_fence();
void copy_what_nobody_wrote();
void poll_for_another_warp();

}  // namespace waitless::simt_test
