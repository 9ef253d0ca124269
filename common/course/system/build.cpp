#include "common/course/system/build.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <regex>
#include <thread>

#include "common/base/error.h"
#include "common/course/system/process.h"
#include "common/course/system/terminal.h"
#include "common/course/system/text.h"

namespace waitless::course {
namespace {

namespace fs = std::filesystem;

/// Shows how far a build has come: on a terminal one line that is written over, otherwise a line now and then.
class Progress {
 public:
  explicit Progress(std::string what) : what_(std::move(what)) {}
  ~Progress() {
    if (shown_ && is_terminal()) std::cout << "\r\033[K" << std::flush;
  }
  void line(const std::string& text) {
    static const std::regex step(R"(\[\s*(\d+/\d+|\d+%)\] .*)");
    std::smatch match;
    if (!std::regex_match(text, match, step) || match[1].str().starts_with("0/")) return;  // ninja looks for new files
    const auto now = std::chrono::steady_clock::now();
    if (is_terminal()) {
      std::cout << "\r\033[K" << dim("building " + what_ + " " + match[1].str()) << std::flush;
    } else if (!shown_ || now - last_ > std::chrono::seconds(20)) {
      std::cout << "building " << what_ << " " << match[1] << std::endl;
      last_ = now;
    }
    shown_ = true;
  }

 private:
  std::string what_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

/// Two builds in one folder would write over each other's files; the second one waits. ./course takes the same lock.
class BuildLock {
 public:
  explicit BuildLock(const fs::path& build)
      : file_(open((build / "course.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (file_ < 0 || flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    std::cout << "waiting for another ./course that builds" << std::endl;
    while (flock(file_, LOCK_EX) != 0) stop_if_interrupted();
  }
  ~BuildLock() {
    if (file_ >= 0) close(file_);
  }
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

 private:
  int file_;
};

/// The output of a failed build without its progress lines.
std::string complaints(const std::string& output) {
  static const std::regex noise(
      R"(\[\s*(\d+/\d+|\d+%)\] .*|ninja: build stopped.*|g?make.*\*\*\*.*|/\S+/(c\+\+|g\+\+|clang\+\+)\S* .*)");
  static const std::regex killed(R"((^|.*[ :])Killed\b.*)");
  std::string text;
  bool is_killed = false;
  for (const std::string& line : split_lines(output)) {
    if (!std::regex_match(line.substr(0, 2000), noise)) text += line + "\n";
    is_killed = is_killed || std::regex_match(line.substr(0, 2000), killed);
  }
  if (is_killed)
    text += "The compiler was stopped, probably for want of memory: up to " +
            std::to_string(std::thread::hardware_concurrency() + 2) +
            " run at a time. CMAKE_BUILD_PARALLEL_LEVEL=1 ./course ... runs one.\n";
  return text;
}

void cmake_build(const Repository& repository, const std::string& what, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {"cmake", "--build", repository.build.string()};
  if (cache_value(repository.build, "CMAKE_GENERATOR").find("Makefiles") != std::string::npos)
    command.insert(command.end(), {"--parallel", "2"});  // make takes one job, or endless ones, unless told
  command.insert(command.end(), arguments.begin(), arguments.end());
  const BuildLock lock(repository.build);
  Progress progress(what);
  ProcessOptions options;
  options.on_line = [&](const std::string& line) { progress.line(line); };
  const ProcessResult result = run_process(command, options);
  if (result.ok()) return;
  static const std::regex missing(R"(unknown target '([^']*)'|No rule to make target [`']([^']*)')");
  std::smatch match;
  if (std::regex_search(result.output, match, missing))
    throw InputError("CMake has no target " + (match[1].matched ? match[1] : match[2]).str() + " to build");
  throw BuildFailed(complaints(result.output));
}

}  // namespace

namespace {

/// The programs of the build and where they lie, as common/cmake/list_programs.cmake writes them down.
std::map<std::string, fs::path> programs(const Repository& repository) {
  const fs::path file = repository.build / "programs.txt";
  std::map<std::string, fs::path> paths;
  for (const std::string& line : split_lines(read_text(file))) {
    const std::size_t space = line.find(' ');
    if (space != std::string::npos) paths[line.substr(0, space)] = line.substr(space + 1);
  }
  return paths;
}

}  // namespace

void build_targets(const Repository& repository, const std::vector<std::string>& targets) {
  // A build of another user, or on a disk that is read-only, is taken as it is.
  if (access(repository.build.c_str(), W_OK) != 0) {
    for (const std::string& target : targets) {
      const auto known = programs(repository);
      if (!known.count(target) || !fs::exists(known.at(target)))
        throw InputError("cannot write to " + repository.build.string() + ", where " + target + " is not built yet");
    }
    return;
  }
  std::vector<std::string> arguments = {"--target"};
  arguments.insert(arguments.end(), targets.begin(), targets.end());
  cmake_build(repository, targets.size() == 1 ? targets[0] : std::to_string(targets.size()) + " targets", arguments);
}

void build_all(const Repository& repository) { cmake_build(repository, "everything", {}); }

std::vector<std::string> executable_targets(const Repository& repository) {
  std::vector<std::string> names;
  for (const auto& [name, path] : programs(repository)) {
    for (const char* kind : {"_test", "_run", "_bench", "_profile"}) {
      if (name.ends_with(kind)) names.push_back(name);
    }
  }
  return names;
}

fs::path executable(const Repository& repository, const std::string& target) {
  const auto known = programs(repository);
  const auto found = known.find(target);
  if (found == known.end() || !fs::exists(found->second))
    throw InputError("the build left no program " + target + " in " + repository.shown(repository.build));
  return found->second;
}

ChapterBuild chapter_build(const Repository& repository, const std::string& chapter) {
  // Written by common/cmake/list_programs.cmake: words between tabs.
  const fs::path file = repository.build / "chapters.txt";
  ChapterBuild result;
  if (!fs::exists(file)) return result;
  for (const std::string& line : split_lines(read_text(file))) {
    const std::vector<std::string> words = split(line, '\t');
    if (words.size() < 3 || words[0] != chapter) continue;
    const std::vector<std::string> values(words.begin() + 2, words.end());
    if (words[1] == "needs") result.needs = values;
    if (words[1] == "launcher") result.launcher = values;
    if (words[1] == "lacks" && values.size() == 2) result.lacks[values[0]] = values[1];
  }
  return result;
}

std::vector<std::string> start_command(const Repository& repository, const std::string& target) {
  std::vector<std::string> command;
  for (const std::string& chapter : repository.chapters()) {
    if (target.starts_with(chapter + "_")) command = chapter_build(repository, chapter).launcher;
  }
  command.push_back(executable(repository, target).string());
  return command;
}

std::string cache_value(const fs::path& build, const std::string& variable) {
  if (!fs::exists(build / "CMakeCache.txt")) return "";
  for (const std::string& line : split_lines(read_text(build / "CMakeCache.txt"))) {
    if (line.rfind(variable + ":", 0) == 0) return line.substr(line.find('=') + 1);
  }
  return "";
}

void forget_other_place(const Repository& repository) {
  const std::string place = cache_value(repository.build, "CMAKE_HOME_DIRECTORY");
  if (place.empty() || place == repository.root.string()) return;
  fs::remove(repository.build / "CMakeCache.txt");
  fs::remove_all(repository.build / "CMakeFiles");
}

Repository with_mine(const Repository& repository, const std::string& chapter) {
  if (chapter_build(repository, chapter).needs.empty()) return repository;
  const Repository mine = {repository.root, repository.root / "build" / "mine"};
  forget_other_place(mine);
  if (cache_value(mine.build, "WAITLESS_MINE") == "ON" && fs::exists(mine.build / "compile_commands.json")) return mine;
  std::cout << "setting up build/mine, where chapters stand on your own earlier chapters" << std::endl;
  std::vector<std::string> command = {"cmake", "--preset", "default", "-B", mine.build.string(), "-DWAITLESS_MINE=ON"};
  command.push_back("-DCMAKE_CXX_COMPILER=" + cache_value(repository.build, "CMAKE_CXX_COMPILER"));
  if (!fs::exists(mine.build / "CMakeCache.txt"))
    command.insert(command.end(), {"-G", cache_value(repository.build, "CMAKE_GENERATOR")});
  ProcessOptions options;
  options.folder = repository.root;
  const ProcessResult result = run_process(command, options);
  if (!result.ok()) throw BuildFailed(result.output);
  return mine;
}

}  // namespace waitless::course
