#pragma once

#include <exception>
#include <string>

namespace waitless {

/// Thrown by every exercise that has not been written yet. It derives from std::exception alone, so that no
/// test for a real error (std::invalid_argument, ...) takes it for one.
class NotImplemented : public std::exception {
 public:
  explicit NotImplemented(std::string what) : what_(std::move(what)) {}
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

/// The id of an exercise, with the place that names it.
struct ExerciseId {
  const char* id;
  const char* function;
  const char* file;
  int line;
  ExerciseId(const char* exercise, const char* in_function = __builtin_FUNCTION(),
             const char* in_file = __builtin_FILE(), int at_line = __builtin_LINE())
      : id(exercise), function(in_function), file(in_file), line(at_line) {}
};

/// Stands where a student's code goes.
/// @throws NotImplemented "not implemented yet: 1.3 rope (chapters/01_naive_generation/rope.cpp:21)", always
[[noreturn]] void not_implemented(const ExerciseId& exercise);

}  // namespace waitless
