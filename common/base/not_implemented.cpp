#include "common/base/not_implemented.h"

namespace waitless {

void not_implemented(const ExerciseId& exercise) {
  throw NotImplemented("not implemented yet: " + std::string(exercise.id) + " " + exercise.function + " (" +
                       exercise.file + ":" + std::to_string(exercise.line) + ")");
}

}  // namespace waitless
