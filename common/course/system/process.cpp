#include "common/course/system/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sstream>

#include "common/base/error.h"

extern char** environ;

namespace waitless::course {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kOutputLimit = 16 << 20;

std::atomic<bool> interrupted{false};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : added) replaced |= text.rfind(name + "=", 0) == 0;
    if (!replaced) all.push_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

/// Cuts captured output into lines.
class Lines {
 public:
  explicit Lines(const std::function<void(const std::string&)>& on_line) : on_line_(on_line) {}
  bool add(const char* data, std::size_t size) {
    bool complete = false;
    for (std::size_t i = 0; i < size; ++i) {
      if (data[i] == '\n') {
        if (on_line_) on_line_(line_);
        line_.clear();
        complete = true;
      } else if (line_.size() < 4096) {
        line_ += data[i];
      }
    }
    return complete;
  }

 private:
  const std::function<void(const std::string&)>& on_line_;
  std::string line_;
};

/// A started program; stops what is left of its process group when it goes out of scope.
class Child {
 public:
  Child(const std::vector<std::string>& command, const ProcessOptions& options) {
    const std::filesystem::path program = find_program(command.at(0));
    if (program.empty()) throw InputError("cannot find the program " + command[0]);
    const std::vector<std::string> environment = environment_with(options.environment);
    std::vector<char*> arguments = pointers(command), variables = pointers(environment);
    int out[2] = {-1, -1};
    static std::mutex one_at_a_time;  // so that no other child inherits this pipe and holds it open
    const std::lock_guard lock(one_at_a_time);
    if (options.capture && pipe(out) != 0) throw InputError(std::string("cannot open a pipe: ") + std::strerror(errno));
    if (options.capture) fcntl(out[0], F_SETFD, FD_CLOEXEC), fcntl(out[1], F_SETFD, FD_CLOEXEC);
    pid_ = fork();
    if (pid_ == 0) {
      setpgid(0, 0);
      signal(SIGINT, SIG_DFL);
      signal(SIGTERM, SIG_DFL);
      const int nothing = open("/dev/null", O_RDONLY);
      dup2(nothing, STDIN_FILENO);
      if (options.capture) {
        dup2(out[1], STDOUT_FILENO);
        dup2(out[1], STDERR_FILENO);
      }
      if (!options.folder.empty() && chdir(options.folder.c_str()) != 0) _exit(127);
      execve(program.c_str(), arguments.data(), variables.data());
      _exit(127);
    }
    if (pid_ > 0) setpgid(pid_, pid_);
    if (options.capture) close(out[1]);
    output_ = out[0];
    if (pid_ < 0) throw InputError("cannot start " + command[0] + ": " + std::strerror(errno));
  }
  ~Child() {
    // Unless it has ended, this is an interruption: ninja and make then delete what they had half written.
    if (!has_ended()) kill(-pid_, SIGTERM);
    for (int n = 0; n < 150 && !has_ended(); ++n) usleep(20000);
    stop();
    if (!reaped_) waitpid(pid_, &status_, 0);
    if (output_ >= 0) close(output_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int output() const { return output_; }
  int status() const { return status_; }
  void stop() { kill(-pid_, SIGKILL); }
  bool has_ended() {
    if (!reaped_ && waitpid(pid_, &status_, WNOHANG) == pid_) reaped_ = true;
    return reaped_;
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  int status_ = 0;
  bool reaped_ = false;
};

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = true; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void stop_if_interrupted() {
  if (interrupted) throw Interrupted();
}

std::filesystem::path find_program(const std::string& program) {
  if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0 ? program : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path candidate = std::filesystem::path(folder.empty() ? "." : folder) / program;
    if (std::filesystem::is_regular_file(candidate) && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

std::string ProcessResult::how_it_ended() const {
  if (timed_out) return "took longer than allowed";
  if (signal == SIGSEGV) return "crashed (segmentation fault)";
  if (signal == SIGABRT) return "crashed (abort)";
  if (signal != 0) return std::string("crashed (") + strsignal(signal) + ")";
  return "ended with status " + std::to_string(exit_status);
}

ProcessResult run_process(const std::vector<std::string>& command, const ProcessOptions& options) {
  Child child(command, options);
  ProcessResult result;
  Lines lines(options.on_line);
  const Clock::time_point start = Clock::now();
  Clock::time_point last_line = start, end{};
  bool open = options.capture, ended = false;
  // A program that has ended may leave a grandchild behind that holds the pipe: it gets half a second.
  while (!ended || (open && seconds_since(end) < 0.5)) {
    stop_if_interrupted();
    if (open) {
      pollfd poll_out = {child.output(), POLLIN, 0};
      char buffer[65536];
      if (poll(&poll_out, 1, 200) > 0) {
        const ssize_t n = read(child.output(), buffer, sizeof buffer);
        if (n == 0) open = false;
        if (n > 0) {
          result.output.append(buffer, std::min(std::size_t(n), kOutputLimit - result.output.size()));
          if (lines.add(buffer, std::size_t(n))) last_line = Clock::now();
        }
      }
    } else if (!child.has_ended()) {
      usleep(options.capture ? 2000 : 50000);
    }
    if (options.on_wait) options.on_wait();
    if (!ended && child.has_ended()) {
      ended = true;
      end = Clock::now();
    }
    const bool silent = options.silence_limit_s > 0 && seconds_since(last_line) > options.silence_limit_s;
    const bool late = options.time_limit_s > 0 && seconds_since(start) > options.time_limit_s;
    if (!ended && (silent || late)) {
      result.timed_out = true;
      child.stop();
      while (!child.has_ended()) usleep(1000);
      ended = true;
      end = Clock::now();
    }
  }
  if (WIFEXITED(child.status())) result.exit_status = WEXITSTATUS(child.status());
  if (WIFSIGNALED(child.status()) && !result.timed_out) result.signal = WTERMSIG(child.status());
  return result;
}

void exec_process(const std::vector<std::string>& command) {
  std::vector<char*> arguments = pointers(command);
  execvp(arguments[0], arguments.data());
  throw InputError("cannot start " + command[0] + ": " + std::strerror(errno));
}

}  // namespace waitless::course
