#pragma once

#include <filesystem>
#include <string>

namespace waitless {

/// How many threads can run at once: the processors that this process may use, or fewer if its container has a quota of
/// their time. At least 1.
int usable_processors();

/// The quota of Linux's control groups in processors, 0 if there is none: the smallest of the groups around a process.
/// Rounded down, since a process that takes more than its quota is stopped again and again.
/// @param of_process what /proc/self/cgroup says
/// @param groups where the groups lie, /sys/fs/cgroup
double processor_quota(const std::string& of_process, const std::filesystem::path& groups);

}  // namespace waitless
