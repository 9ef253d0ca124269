#include "common/course/grading/gtest.h"

#include <gtest/gtest.h>

#include <fstream>

#include "common/course/grading/score.h"
#include "tests/course/fake_repository.h"

namespace waitless::course {
namespace {

namespace fs = std::filesystem;

/// A program that behaves like a GoogleTest one with the tests A.Passes, A.Fails, A.Breaks, A.IsSkipped and B.Passes.
/// `breaks` is what A.Breaks does.
struct FakeProgram {
  TemporaryFolder folder;
  fs::path path = folder / "fake_test";

  explicit FakeProgram(const std::string& breaks) {
    write_text(path, R"sh(#!/bin/bash
if [ "$1" = --gtest_list_tests ]; then printf 'Running main()\nA.\n  Passes\n  Fails\n  Breaks  # GetParam() = 3\n  IsSkipped\nB.\n  Passes\n'; exit; fi
for option in "$@"; do case $option in
  --gtest_filter=*) filter=${option#*=} ;;
  --gtest_output=json:*) report=${option#*json:} ;;
  --gtest_fail_fast) fail_fast=true ;;
esac; done
entries= kind=
for test in ${filter//:/ }; do
  echo "[ RUN      ] $test"
  result='"result": "COMPLETED"'
  [ "$fail_fast" ] && [ "$kind" = A.Fails ] && test_after=A.IsSkipped
  kind=${test_after:-$test}
  case $kind in
    A.Fails) echo 'wrong: 3'; echo "[  FAILED  ] $test (0 ms)"; result+=', "failures": [{"failure": "wrong: 3\nsecond line"}]' ;;
    A.Breaks) )sh" + breaks +
                         R"sh(; echo "[       OK ] $test (0 ms)" ;;
    A.IsSkipped) echo "[  SKIPPED ] $test (0 ms)"; result='"result": "SKIPPED"' ;;
    *) echo "[       OK ] $test (0 ms)" ;;
  esac
  entries+="${entries:+,}{\"classname\": \"${test%.*}\", \"name\": \"${test#*.}\", \"status\": \"RUN\", $result}"
done
echo "{\"testsuites\": [{\"testsuite\": [$entries]}]}" > "$report"
)sh");
    fs::permissions(path, fs::perms::owner_all);
  }
  TestResults run(const std::vector<std::string>& tests = {}, bool stops_at_failure = false) const {
    TestRun run;
    run.stops_at_failure = stops_at_failure;
    run.program = path;
    run.tests = tests;
    run.silence_limit_s = 2;
    return run_tests(run);
  }
};

// Guards what students are told about their tests.
TEST(TestProgram, ListsItsTests) {
  EXPECT_EQ(list_tests(FakeProgram("true").path),
            (std::vector<std::string>{"A.Passes", "A.Fails", "A.Breaks", "A.IsSkipped", "B.Passes"}));
}

TEST(TestProgram, ReportsEachTest) {
  TestResults results = FakeProgram("true").run();
  EXPECT_EQ(results.size(), 5u);
  EXPECT_EQ(results["A.Passes"].status, TestStatus::passed);
  EXPECT_EQ(results["A.Fails"].status, TestStatus::failed);
  EXPECT_EQ(results["A.Fails"].message, "wrong: 3\nsecond line");
  EXPECT_EQ(results["A.IsSkipped"].status, TestStatus::skipped);
}

TEST(TestProgram, IsRunAgainWithoutATestThatCrashes) {
  TestResults results = FakeProgram("kill -SEGV $$").run();
  EXPECT_EQ(results["A.Passes"].status, TestStatus::passed);
  EXPECT_EQ(results["A.Fails"].status, TestStatus::failed);
  EXPECT_EQ(results["A.Fails"].message, "wrong: 3\n");
  EXPECT_EQ(results["A.Breaks"].status, TestStatus::crashed);
  EXPECT_EQ(results["A.Breaks"].message, "the test crashed (segmentation fault)");
  EXPECT_EQ(results["B.Passes"].status, TestStatus::passed);
}

TEST(TestProgram, IsRunAgainWithoutATestThatHangsOrLeaves) {
  EXPECT_EQ(FakeProgram("sleep 30").run()["A.Breaks"].status, TestStatus::timed_out);
  TestResults results = FakeProgram("exit 0").run();
  EXPECT_EQ(results["A.Breaks"].message, "the test ended with status 0");
  EXPECT_EQ(results["A.Breaks"].status, TestStatus::crashed);
  EXPECT_EQ(results["B.Passes"].status, TestStatus::passed);
}

TEST(TestProgram, StopsAtTheFirstFailureIfAsked) {
  TestResults results = FakeProgram("true").run({"A.Passes", "A.Fails", "B.Passes"}, true);
  EXPECT_EQ(results["A.Passes"].status, TestStatus::passed);
  EXPECT_EQ(results["A.Fails"].status, TestStatus::failed);
  EXPECT_EQ(results["B.Passes"].status, TestStatus::skipped);
  results = FakeProgram("kill -SEGV $$").run({"A.Passes", "A.Breaks", "B.Passes"}, true);
  EXPECT_EQ(results["A.Breaks"].status, TestStatus::crashed);
  EXPECT_EQ(results["B.Passes"].status, TestStatus::skipped);
}

TEST(TestProgram, ThatLacksATestDoesNotPassIt) {
  TestResults results = FakeProgram("true").run({"A.Passes", "A.Missing"});
  EXPECT_EQ(results["A.Missing"].status, TestStatus::missing);
  EXPECT_EQ(results["A.Missing"].message, "the test program has no test A.Missing");
  EXPECT_EQ(results["A.Passes"].status, TestStatus::passed);
}

TEST(Score, IsEarnedOnlyIfEveryTestRanAndPassed) {
  const Rubric rubric = parse_rubric(kFakeRubric, "r.json");
  const TestResult passed{TestStatus::passed, ""};
  auto all = score(rubric, {{"Twice.DoublesTheNumber", passed},
                            {"Twice.KeepsZero", {TestStatus::crashed, "boom"}},
                            {"FourTimes.DoublesTwice", passed}});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_FALSE(all[0].is_earned);
  EXPECT_EQ(all[0].failed_test, "Twice.KeepsZero");
  EXPECT_TRUE(all[1].is_earned);
  all = score(rubric, {{"Twice.DoublesTheNumber", passed}, {"Twice.KeepsZero", {TestStatus::skipped, "no GPU"}}});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_FALSE(all[0].is_earned);
  EXPECT_TRUE(all[0].is_unavailable);
}

TEST(Score, TableShowsWhyAnExerciseEarnsNothing) {
  const Rubric rubric = parse_rubric(kFakeRubric, "r.json");
  const std::string table = score_table(
      score(rubric,
            {{"Twice.DoublesTheNumber", {TestStatus::passed, ""}},
             {"Twice.KeepsZero", {TestStatus::failed, "f.cpp:3\nexpected 0, got 1"}},
             {"FourTimes.DoublesTwice",
              {TestStatus::failed,
               "C++ exception with description \"not implemented yet: 1.2 four_times (chapters/x.cpp:3)\" thrown"}}}));
  EXPECT_EQ(table,
            "  1.1  twice       0/10  basic 1/1, edge 0/1\n"
            "       Twice.KeepsZero\n"
            "         f.cpp:3\n"
            "         expected 0, got 1\n"
            "  1.2  four times   0/5  basic 0/1\n"
            "       not implemented yet: 1.2 four_times (chapters/x.cpp:3)\n");
}

TEST(Score, TableNamesWhatElseFailed) {
  const Rubric rubric = parse_rubric(kFakeRubric, "r.json");
  const std::string table = score_table(score(rubric, {{"Twice.DoublesTheNumber", {TestStatus::failed, "expected 6"}},
                                                       {"Twice.KeepsZero", {TestStatus::failed, "expected 0"}}}));
  EXPECT_EQ(table,
            "  1.1  twice  0/10  basic 0/1, edge 0/1\n"
            "       Twice.DoublesTheNumber\n"
            "         expected 6\n"
            "       also failed: Twice.KeepsZero\n");
}

TEST(Score, IsRemembered) {
  const FakeRepository fake;
  const Rubric rubric = parse_rubric(kFakeRubric, "r.json");
  EXPECT_FALSE(remembered_points(fake.repository, "01_first").is_known);
  remember_points(fake.repository, "01_first", score(rubric, {{"FourTimes.DoublesTwice", {TestStatus::passed, ""}}}));
  const Points points = remembered_points(fake.repository, "01_first");
  EXPECT_EQ(points.earned, 5);
  EXPECT_EQ(next_exercise(rubric, points)->id, "1.1");
}

}  // namespace
}  // namespace waitless::course
