#include "common/base/processors.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace waitless {
namespace {

namespace fs = std::filesystem;

/// Whether "cpu" is one of "cpu,cpuacct".
bool names_cpu(const std::string& controllers) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');) {
    if (name == "cpu") return true;
  }
  return false;
}

/// Two numbers of a group, quota and period in microseconds, as a share; 0 if it has none.
double share(const fs::path& group, bool is_version_2) {
  double quota = 0, period = 0;
  if (is_version_2) {
    std::ifstream(group / "cpu.max") >> quota >> period;  // "max 100000" leaves both 0
  } else {
    std::ifstream(group / "cpu.cfs_quota_us") >> quota;  // -1: none
    std::ifstream(group / "cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? quota / period : 0;
}

/// Processors that the scheduler may put this process on.
int allowed_processors() {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
  return int(std::thread::hardware_concurrency());
}

}  // namespace

double processor_quota(const std::string& of_process, const fs::path& groups) {
  double smallest = 0;
  std::istringstream lines(of_process);
  for (std::string line; std::getline(lines, line);) {
    // "0::/user.slice" in version 2, "4:cpu,cpuacct:/docker/1234" in version 1
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_version_2 = controllers.empty();
    if (!is_version_2 && !names_cpu(controllers)) continue;
    const fs::path top = is_version_2 ? groups : groups / "cpu";
    // A group cannot take more than those around it. In a container the outer ones are hidden, and its own is the top.
    fs::path group = fs::path(line.substr(second + 1)).relative_path();
    while (true) {
      const double found = share(top / group, is_version_2);
      if (found > 0 && (smallest == 0 || found < smallest)) smallest = found;
      if (group.empty()) break;
      group = group.parent_path();
    }
  }
  return smallest;
}

int usable_processors() {
  int n = allowed_processors();
#if defined(__linux__)
  std::ifstream file("/proc/self/cgroup");
  const std::string of_process{std::istreambuf_iterator<char>(file), {}};
  const double quota = processor_quota(of_process, "/sys/fs/cgroup");
  if (quota > 0) n = std::min(n, int(quota));
#endif
  return std::max(n, 1);
}

}  // namespace waitless
