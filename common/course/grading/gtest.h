#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace waitless::course {

enum class TestStatus { passed, failed, skipped, crashed, timed_out, missing };

struct TestResult {
  TestStatus status = TestStatus::missing;
  std::string message;  // why it did not pass
};
using TestResults = std::map<std::string, TestResult>;  // "Suite.Name" -> result

struct TestRun {
  std::filesystem::path program;
  std::vector<std::string> launcher;  // words in front of the program, which then lets one of its processes report
  std::vector<std::string> tests;     // all of the program's if empty
  bool stops_at_failure = false;      // the tests after it are then skipped
  double silence_limit_s = 120;       // for one test
  std::vector<std::pair<std::string, std::string>> environment;
  std::function<void(const std::string& test)> on_start;
};

/// The tests of a GoogleTest program.
/// @throws InputError if it cannot list them
std::vector<std::string> list_tests(const std::filesystem::path& program);

/// Runs tests of a GoogleTest program. When one of them ends or hangs the program, the rest run in a new process.
/// A test that the program does not have is `missing`.
TestResults run_tests(const TestRun& run);

/// "not implemented yet: 1.3 rope (chapters/01_naive_generation/rope.cpp:21)" if that is what `message` reports.
std::string not_implemented_text(const std::string& message);

}  // namespace waitless::course
