#include "common/cuda/not_implemented.h"

#include "common/simt/checked/checker.h"

namespace waitless {

void throw_not_implemented(const ExerciseId& exercise) {
  simt::checked::runs_kernel_code = false;
  not_implemented_on_host(exercise);
}

}  // namespace waitless
