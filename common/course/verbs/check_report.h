#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

namespace waitless::course {

/// Prints and counts what ./course check does, step by step.
class CheckReport {
 public:
  /// Runs one step, with its name before it and its counts and time after it. An error that escapes it is a failure
  /// of the step, and the check goes on.
  void step(const std::string& name, const std::function<void()>& work);

  void pass() { ++now_.passed; }
  void fail(const std::string& test, const std::string& why);
  /// What could not run here; it counts as neither passed nor failed. Each reason is printed once, at the end of its
  /// step.
  void skip(const std::string& test, const std::string& why);

  int n_failed() const { return all_.failed; }

  /// Prints the last line, "N passed, M failed".
  /// @return the exit status
  int finish() const;

 private:
  struct Counts {
    int passed = 0, failed = 0, skipped = 0;
  };
  std::string text(const Counts& counts) const;

  struct Skipped {
    std::string first;  // test
    int n = 0;
  };

  Counts now_, all_;
  std::map<std::string, Skipped> skipped_;  // in this step, by reason
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace waitless::course
