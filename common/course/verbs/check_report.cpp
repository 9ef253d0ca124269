#include "common/course/verbs/check_report.h"

#include <exception>
#include <iostream>

#include "common/course/system/process.h"
#include "common/course/system/terminal.h"
#include "common/course/system/text.h"

namespace waitless::course {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kReasonLines = 12;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

void CheckReport::step(const std::string& name, const std::function<void()>& work) {
  const Clock::time_point start = Clock::now();
  now_ = {};
  skipped_.clear();
  std::cout << bold(name) << std::endl;
  try {
    work();
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    fail(name, error.what());
  }
  for (const auto& [reason, skipped] : skipped_) {
    const std::string tests = skipped.n == 1 ? skipped.first : std::to_string(skipped.n) + " tests";
    std::cout << "  " << yellow("skipped: " + tests) << ": " << reason << "\n";
  }
  all_.passed += now_.passed;
  all_.failed += now_.failed;
  all_.skipped += now_.skipped;
  const std::string counts = text(now_);
  std::cout << "  "
            << (now_.failed > 0   ? red(counts)
                : now_.passed > 0 ? green(counts)
                                  : yellow(counts))
            << " in " << seconds_text(seconds_since(start)) << std::endl;
}

void CheckReport::fail(const std::string& test, const std::string& why) {
  ++now_.failed;
  std::cout << "  " << red("failed: " + test) << "\n";
  std::size_t n = 0;
  for (const std::string& line : split_lines(why)) {
    if (n++ == kReasonLines) std::cout << "    ...\n";
    if (n <= kReasonLines) std::cout << "    " << line << "\n";
  }
  std::cout.flush();
}

void CheckReport::skip(const std::string& test, const std::string& why) {
  ++now_.skipped;
  Skipped& skipped = skipped_[why.empty() ? "it does not say why" : why];
  if (skipped.n++ == 0) skipped.first = test;
}

std::string CheckReport::text(const Counts& counts) const {
  std::string result = std::to_string(counts.passed) + " passed, " + std::to_string(counts.failed) + " failed";
  if (counts.skipped > 0) result += ", " + std::to_string(counts.skipped) + " skipped";
  return result;
}

int CheckReport::finish() const {
  std::cout << "\nin " << seconds_text(seconds_since(start_));
  if (all_.skipped > 0) std::cout << "; " << all_.skipped << " skipped because they cannot run here";
  std::cout << "\n" << all_.passed << " passed, " << all_.failed << " failed" << std::endl;
  return all_.failed == 0 ? 0 : 1;
}

}  // namespace waitless::course
