#pragma once

/// CUDA without a GPU. This file stands where nvcc finds the toolkit's header of the same name: it gives a plain C++
/// compiler the CUDA language, as far as C++ can express it, and the CUDA runtime. See docs/cuda_without_a_gpu.md.

#define WAITLESS_SIMT 1

#include "common/simt/device/keywords.h"
#include "common/simt/device/vector_types.h"
// Keywords first: all that follow are written in CUDA.
#include "common/simt/device/atomics.h"
#include "common/simt/device/barriers.h"
#include "common/simt/device/built_in_variables.h"
#include "common/simt/device/math_functions.h"
#include "common/simt/device/warp_functions.h"
#include "common/simt/host/device_properties.h"
#include "common/simt/host/runtime_api.h"
// Last: it takes names away.
#include "common/simt/device/unsupported.h"
