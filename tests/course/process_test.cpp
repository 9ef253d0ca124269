#include "common/course/system/process.h"

#include <gtest/gtest.h>

#include <chrono>

#include "common/course/system/sha256.h"
#include "tests/course/fake_repository.h"

namespace waitless::course {
namespace {

ProcessResult shell(const std::string& script, const ProcessOptions& options = {}) {
  return run_process({"sh", "-c", script}, options);
}

// Guards how ./course runs compilers, tests and pip.
TEST(Process, CapturesOutputAndStatus) {
  const ProcessResult result = shell("echo out; echo error >&2; exit 3");
  EXPECT_EQ(result.output, "out\nerror\n");
  EXPECT_EQ(result.how_it_ended(), "ended with status 3");
  EXPECT_FALSE(result.ok());
  EXPECT_TRUE(shell("true").ok());
}

TEST(Process, TellsACrash) {
  EXPECT_EQ(shell("kill -SEGV $$").how_it_ended(), "crashed (segmentation fault)");
  EXPECT_EQ(shell("kill -ABRT $$").how_it_ended(), "crashed (abort)");
}

TEST(Process, StopsAfterItsTimeWithAllItsChildren) {
  const auto start = std::chrono::steady_clock::now();
  ProcessOptions options;
  options.time_limit_s = 0.3;
  const ProcessResult result = shell("sleep 20 & sleep 20; wait", options);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.how_it_ended(), "took longer than allowed");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Process, StopsWhenSilentButNotWhileItSpeaks) {
  ProcessOptions options;
  options.silence_limit_s = 2;
  EXPECT_TRUE(shell("echo a; sleep 0.7; echo b; sleep 0.7; echo c; sleep 0.7; echo d; sleep 0.7", options).ok());
  EXPECT_TRUE(shell("echo a; sleep 20", options).timed_out);
}

TEST(Process, DoesNotWaitForWhatRunsOnInTheBackground) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(shell("sleep 20 & echo done").ok());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Process, HasNothingOnItsInput) { EXPECT_EQ(shell("cat; echo end").output, "end\n"); }

TEST(Process, TakesFolderAndEnvironment) {
  const TemporaryFolder folder;
  ProcessOptions options;
  options.folder = folder.path();
  options.environment = {{"WAITLESS_SAYS", "a b"}};
  EXPECT_EQ(shell("pwd; echo $WAITLESS_SAYS", options).output, folder.path().string() + "\na b\n");
}

TEST(Process, CutsEndlessOutput) {
  ProcessOptions options;
  options.time_limit_s = 60;
  EXPECT_EQ(shell("head -c 20000000 /dev/zero", options).output.size(), std::size_t(16) << 20);
}

TEST(Process, ThatDoesNotExistIsNamed) {
  EXPECT_EQ(error_of([] { run_process({"no-such-program"}); }), "cannot find the program no-such-program");
}

TEST(Sha256, IsThatOfTheStandard) {
  // Oracle: FIPS 180-2, appendix B.1.
  const TemporaryFolder folder;
  write_text(folder / "a b", "abc");
  EXPECT_EQ(sha256({folder / "a b"}).begin()->second,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_NE(error_of([&] { sha256({folder / "none"}); }), "");
}

}  // namespace
}  // namespace waitless::course
