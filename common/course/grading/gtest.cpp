#include "common/course/grading/gtest.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/base/error.h"
#include "common/course/system/process.h"
#include "common/course/system/text.h"

namespace waitless::course {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A name in the folder for temporary files; the file is removed when this goes out of scope.
class TemporaryFile {
 public:
  TemporaryFile() {
    static std::atomic<int> count{0};
    path_ =
        fs::temp_directory_path() / ("waitless-" + std::to_string(getpid()) + "-" + std::to_string(count++) + ".json");
  }
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The report that GoogleTest writes when it comes to its end; nothing if it did not.
std::optional<TestResults> read_report(const fs::path& file) {
  std::ifstream in(file);
  if (!in) return {};
  TestResults results;
  try {
    const Json report = Json::parse(in);
    for (const Json& suite : report.at("testsuites")) {
      for (const Json& test : suite.at("testsuite")) {
        if (test.at("status") != "RUN") continue;
        TestResult& result =
            results[test.at("classname").get<std::string>() + "." + test.at("name").get<std::string>()];
        const bool is_skipped = test.at("result") == "SKIPPED";
        result.status = test.contains("failures") ? TestStatus::failed
                        : is_skipped              ? TestStatus::skipped
                                                  : TestStatus::passed;
        if (test.contains("failures")) result.message = printable(test["failures"][0].at("failure").get<std::string>());
        if (is_skipped && test.contains("skipped"))
          result.message = printable(test["skipped"][0].at("message").get<std::string>());
      }
    }
  } catch (const Json::exception&) {
    return {};
  }
  return results;
}

/// What the output tells of a run that did not come to its end. The last test, which began and did not finish,
/// has the status `missing` here.
TestResults read_output(const std::string& output) {
  TestResults results;
  std::string running;
  for (const std::string& line : split_lines(output)) {
    const auto names = [&](const char* tag, const std::string& test) {
      const std::size_t at = line.find(tag + test);
      return at != std::string::npos;
    };
    if (const std::size_t at = line.find("[ RUN      ] "); at != std::string::npos) {
      running = line.substr(at + 13);
      results[running] = {};
    } else if (running.empty()) {
      continue;
    } else if (names("[       OK ] ", running)) {
      results[running].status = TestStatus::passed;
      running.clear();
    } else if (names("[  FAILED  ] ", running)) {
      results[running].status = TestStatus::failed;
      running.clear();
    } else if (names("[  SKIPPED ] ", running)) {
      results[running].status = TestStatus::skipped;
      running.clear();
    } else {
      results[running].message += printable(line) + "\n";
    }
  }
  return results;
}

}  // namespace

std::vector<std::string> list_tests(const fs::path& program) {
  ProcessOptions options;
  options.time_limit_s = 60;
  const ProcessResult result = run_process({program.string(), "--gtest_list_tests"}, options);
  if (!result.ok())
    throw InputError(program.filename().string() + " " + result.how_it_ended() + " before its first test");
  std::vector<std::string> tests;
  std::string suite;
  for (const std::string& line : split_lines(result.output)) {
    const std::string_view name = trim(std::string_view(line).substr(0, line.find("  #")));
    if (starts_with_blank(line) && !suite.empty())
      tests.push_back(suite + std::string(name));
    else if (name.ends_with("."))
      suite = name;
  }
  return tests;
}

TestResults run_tests(const TestRun& run) {
  const std::vector<std::string> known = list_tests(run.program);
  TestResults results;
  std::vector<std::string> open;  // not run yet
  for (const std::string& test : run.tests.empty() ? known : run.tests) {
    results[test] = {TestStatus::missing, "the test program has no test " + test};
    if (std::find(known.begin(), known.end(), test) != known.end()) open.push_back(test);
  }
  while (!open.empty()) {
    const TemporaryFile report_file;
    ProcessOptions options;
    options.silence_limit_s = run.silence_limit_s;
    options.environment = run.environment;
    options.on_line = [&](const std::string& line) {
      if (run.on_start && line.rfind("[ RUN      ] ", 0) == 0) run.on_start(line.substr(13));
    };
    std::vector<std::string> command = run.launcher;
    command.insert(command.end(), {run.program.string(), "--gtest_color=no", "--gtest_filter=" + join(open, ":"),
                                   "--gtest_output=json:" + report_file.path().string()});
    if (run.stops_at_failure) command.push_back("--gtest_fail_fast");
    const ProcessResult process = run_process(command, options);
    const std::optional<TestResults> report = read_report(report_file.path());
    const TestResults finished = report ? *report : read_output(process.output);
    const TestStatus broken = process.timed_out ? TestStatus::timed_out : TestStatus::crashed;
    bool has_progress = false;
    std::vector<std::string> still_open;
    for (const std::string& test : open) {
      const auto found = finished.find(test);
      if (found == finished.end()) {
        still_open.push_back(test);
        continue;
      }
      has_progress = true;
      results[test] = found->second;
      if (found->second.status == TestStatus::missing) results[test] = {broken, "the test " + process.how_it_ended()};
    }
    if (!has_progress || report) {
      for (const std::string& test : still_open)
        results[test] = {broken, "the test program " + process.how_it_ended() + " before this test"};
      break;
    }
    open = still_open;
    if (run.stops_at_failure) {
      for (const std::string& test : open) results[test] = {TestStatus::skipped, "another test failed before"};
      break;
    }
  }
  return results;
}

std::string not_implemented_text(const std::string& message) {
  const std::size_t start = message.find("not implemented yet: ");
  if (start == std::string::npos) return "";
  return message.substr(start, message.find_first_of("\"\n", start) - start);
}

}  // namespace waitless::course
