#include "common/base/processors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace waitless {
namespace {

namespace fs = std::filesystem;

/// A tree of control groups, as Linux shows it.
class Groups {
 public:
  Groups() {
    std::string name = (fs::temp_directory_path() / "waitless groups XXXXXX").string();
    if (!mkdtemp(name.data())) std::abort();
    folder_ = name;
  }
  ~Groups() { fs::remove_all(folder_); }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;
  const fs::path& folder() const { return folder_; }
  void put(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text << "\n";
  }

 private:
  fs::path folder_;
};

// Guards how many threads programs start.
TEST(Processors, AreAtLeastOne) { EXPECT_GE(usable_processors(), 1); }

TEST(ProcessorQuota, OfAGroupIsItsShareOfThePeriod) {
  // Oracle: by hand.
  Groups groups;
  groups.put("job/cpu.max", "150000 100000");
  EXPECT_EQ(processor_quota("0::/job\n", groups.folder()), 1.5);
  EXPECT_EQ(processor_quota("0::/other\n", groups.folder()), 0);
  groups.put("job/cpu.max", "max 100000");
  EXPECT_EQ(processor_quota("0::/job\n", groups.folder()), 0);
}

TEST(ProcessorQuota, IsThatOfTheTightestGroupAround) {
  // Oracle: by hand.
  Groups groups;
  groups.put("a/cpu.max", "200000 100000");
  groups.put("a/b/cpu.max", "max 100000");
  groups.put("a/b/c/cpu.max", "700000 100000");
  EXPECT_EQ(processor_quota("0::/a/b/c\n", groups.folder()), 2);
}

TEST(ProcessorQuota, IsReadFromTheTopInAContainer) {
  // Oracle: by hand. The path is that of the host, which the container cannot see.
  Groups groups;
  groups.put("cpu.max", "300000 100000");
  EXPECT_EQ(processor_quota("0::/docker/1234\n", groups.folder()), 3);
}

TEST(ProcessorQuota, IsReadFromVersion1) {
  // Oracle: by hand.
  Groups groups;
  groups.put("cpu/docker/7/cpu.cfs_quota_us", "50000");
  groups.put("cpu/docker/7/cpu.cfs_period_us", "100000");
  EXPECT_EQ(processor_quota("5:memory:/x\n4:cpu,cpuacct:/docker/7\n0::/\n", groups.folder()), 0.5);
  EXPECT_EQ(processor_quota("4:cpuset:/docker/7\n", groups.folder()), 0);
  groups.put("cpu/docker/7/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(processor_quota("4:cpu,cpuacct:/docker/7\n", groups.folder()), 0);
}

}  // namespace
}  // namespace waitless
