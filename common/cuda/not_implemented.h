#pragma once

/// Makes `not_implemented("C0.1");` work in kernels and in host code alike. On simt the exception leaves a
/// kernel through launch(). On a GPU the kernel prints which exercise is missing and stops, and the next call that
/// waits for it reports a failure.

#if !defined(__CUDACC__)

#include "common/base/not_implemented.h"

#else

#define not_implemented not_implemented_on_host
#include "common/base/not_implemented.h"
#undef not_implemented

#include <cuda_runtime.h>

#include <cstdio>

namespace waitless {

/// ExerciseId, usable on the device too.
struct DeviceExerciseId {
  const char* id;
  const char* function;
  const char* file;
  int line;
  __host__ __device__ DeviceExerciseId(const char* exercise, const char* in_function = __builtin_FUNCTION(),
                                       const char* in_file = __builtin_FILE(), int at_line = __builtin_LINE())
      : id(exercise), function(in_function), file(in_file), line(at_line) {}
};

[[noreturn]] __host__ __device__ inline void not_implemented(DeviceExerciseId exercise) {
#if defined(__CUDA_ARCH__)
  printf("not implemented yet: %s %s (%s:%d)\n", exercise.id, exercise.function, exercise.file, exercise.line);
  __trap();
#else
  not_implemented_on_host(ExerciseId(exercise.id, exercise.function, exercise.file, exercise.line));
#endif
  __builtin_unreachable();
}

}  // namespace waitless

#endif
