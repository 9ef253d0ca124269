#include "tests/common/simt_checked/injected_bugs.h"

#include "common/simt/checked/limits.h"
#include "tests/common/simt_checked/finding.h"

namespace waitless::simt_test {
namespace {

/// A bug, and the file that holds it.
struct Case {
  const char* file;
  InjectedBug bug;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  const auto add = [&](const char* file, const std::vector<InjectedBug>& bugs) {
    for (const InjectedBug& bug : bugs) cases.push_back({file, bug});
  };
  add("tests/common/simt_checked/memory_bugs.cu", memory_bugs());
  add("tests/common/simt_checked/race_bugs.cu", race_bugs());
  add("tests/common/simt_checked/wait_bugs.cu", wait_bugs());
  return cases;
}

std::string place(const std::string& file, int line) { return file + ":" + std::to_string(line); }

class InjectedBugs : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override { simt::set_limits({200'000, 0.3}); }
  void TearDown() override { simt::set_limits(before_); }

 private:
  simt::Limits before_ = simt::limits();
};

// Guards each check: the bug is found in every order, with its line, and the next kernel runs.
TEST_P(InjectedBugs, AreFoundWithTheirLines) {
  const auto& [file, bug] = GetParam();
  // A race has two sides, and either may come first; other bugs have one line.
  const std::vector<int> faulty = lines_with(file, std::string("// BUG ") + bug.name);
  const std::vector<int> others = lines_with(file, std::string("// OTHER ") + bug.name);
  const std::vector<int> sides = lines_with(file, std::string("// SIDE ") + bug.name);
  ASSERT_FALSE(faulty.empty() && sides.empty()) << "no line is marked with " << bug.name;
  for (const simt::Settings& order : all_orders()) {
    const InOrder in_order(order);
    std::string message;
    try {
      bug.run();
    } catch (const CudaError& error) {
      message = error.what();
      EXPECT_EQ(error.code(), bug.error) << message;
    }
    EXPECT_TRUE(contains(message, bug.says)) << bug.name << ": " << message;
    for (const int line : faulty) EXPECT_TRUE(contains(message, place(file, line))) << bug.name << ": " << message;
    bool names_side = sides.empty() && others.empty();
    for (const int line : sides) names_side = names_side || contains(message, place(file, line));
    for (const int line : others) names_side = names_side || contains(message, place(file, line));
    EXPECT_TRUE(names_side) << bug.name << ": " << message;
  }
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  return std::string(info.param.bug.name) + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Simt, InjectedBugs, ::testing::ValuesIn(all_cases()), case_name);

// Guards the number of bugs that the checks are held to.
TEST(InjectedBugsInAll, AreAtLeastForty) { EXPECT_GE(all_cases().size(), 40u); }

}  // namespace
}  // namespace waitless::simt_test
