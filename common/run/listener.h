#pragma once

#include <climits>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/run/latency.h"
#include "common/run/session.h"

namespace waitless {

/// Shows `text` at once; `token` is -1 for text that came without one. Returns whether to go on.
using ShowToken = std::function<bool(int token, std::string_view text)>;

/// What became of one prompt, and when.
struct RequestLog {
  double start = 0;
  std::vector<TokenEvent> events;
  std::vector<int> tokens;
};

/// Where the tokens of a generation go: it shows their text as it comes and notes when they came. The texts of several
/// prompts appear one after another, each whole: what comes for a later one waits until those before it have ended.
class Listener {
 public:
  /// @param session must outlive the listener
  /// @param out receives the texts; nullptr: nobody reads them
  /// @param token_limit asks the generation to stop after so many tokens
  explicit Listener(const Session& session, std::FILE* out = stdout, int token_limit = INT_MAX);

  /// A request has come: its clock starts. To be called before anything else is said of it.
  /// @param request index of its prompt
  void begin(int request);

  /// Tokens of a request are there, which came together, with the text that has become complete by them. What a control
  /// token is called is not shown.
  /// @return whether to go on: not after Ctrl-C
  /// @throws InputError if the text cannot be written
  bool tokens(int request, std::span<const int> tokens, std::string_view text);

  /// No more tokens of this request will come.
  void end(int request);
  /// The same for all requests that have begun.
  void end();

  /// tokens() for loops that show one token at a time.
  ShowToken show(int request);

  /// [n_prompts]
  const std::vector<RequestLog>& logs() const { return logs_; }

 private:
  enum class State { kAwaited, kRunning, kEnded };

  void show_waiting();
  void print(std::string_view text);

  const Session& session_;
  std::FILE* out_;
  int tokens_left_;
  std::vector<RequestLog> logs_;
  std::vector<State> states_;         // [n_prompts]
  std::vector<std::string> waiting_;  // [n_prompts] texts that cannot be shown yet
  int shown_ = 0;                     // the request whose text appears now
};

}  // namespace waitless
