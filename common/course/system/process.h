#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace waitless::course {

/// Ctrl-C or SIGTERM arrived while a program was running; it has been stopped.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

struct ProcessOptions {
  std::filesystem::path folder;                                  // where it runs; here if empty
  std::vector<std::pair<std::string, std::string>> environment;  // added to this program's own
  bool capture = true;                                           // standard output and error into `output`
  double silence_limit_s = 0;                                    // stop it after so long without a line; 0: never
  double time_limit_s = 0;                                       // stop it after so long in all; 0: never
  std::function<void(const std::string& line)> on_line;          // called for each captured line
  std::function<void()> on_wait;                                 // called about five times a second
};

struct ProcessResult {
  int exit_status = 0;  // of a program that ended by itself
  int signal = 0;       // that ended it, or 0
  bool timed_out = false;
  std::string output;  // at most its first 16 MB

  bool ok() const { return exit_status == 0 && signal == 0 && !timed_out; }
  /// "crashed (segmentation fault)", "took longer than allowed", "ended with status 3"
  std::string how_it_ended() const;
};

/// Runs a program, found along PATH, with nothing on its standard input, and waits for it. It has a process group
/// of its own, which is stopped as a whole when a limit is reached or this program is interrupted.
/// @throws InputError if it cannot be started
/// @throws Interrupted after Ctrl-C or SIGTERM
ProcessResult run_process(const std::vector<std::string>& command, const ProcessOptions& options = {});

/// Becomes the program; returns only by throwing.
[[noreturn]] void exec_process(const std::vector<std::string>& command);

/// Where `program` lies along PATH; empty if nowhere.
std::filesystem::path find_program(const std::string& program);

/// From now on Ctrl-C and SIGTERM end in `Interrupted` instead of ending this program at once.
void catch_interrupts();
/// @throws Interrupted if one has arrived
void stop_if_interrupted();

}  // namespace waitless::course
