// Expects: invalid conversion|no matching function
#include "common/cuda/launch.h"
__global__ void scale_kernel(float* x, float factor) { x[threadIdx.x] *= factor; }
void scale(const float* x) { waitless::launch(scale_kernel, {1, 32}, x, 2.0f); }
