#include "common/run/listener.h"

#include <cerrno>
#include <cstring>

#include "common/base/error.h"
#include "common/run/interrupt.h"

namespace waitless {

Listener::Listener(const Session& session, std::FILE* out, int token_limit)
    : session_(session),
      out_(out),
      tokens_left_(token_limit),
      logs_(session.prompts.size()),
      states_(session.prompts.size(), State::kAwaited),
      waiting_(session.prompts.size()) {}

void Listener::begin(int request) {
  states_.at(request) = State::kRunning;
  waiting_[request] = session_.prompts[request].text;
  show_waiting();
  logs_[request].start = seconds_now();
}

bool Listener::tokens(int request, std::span<const int> tokens, std::string_view text) {
  RequestLog& log = logs_.at(request);
  if (!tokens.empty()) log.events.push_back({.time = seconds_now(), .n_tokens = int(tokens.size())});
  log.tokens.insert(log.tokens.end(), tokens.begin(), tokens.end());
  const bool is_control = tokens.size() == 1 && session_.tokenizer.is_special(tokens[0]);
  if (!is_control) waiting_[request] += text;
  if (request == shown_) show_waiting();
  tokens_left_ -= int(tokens.size());
  return tokens_left_ > 0 && !is_interrupted();
}

void Listener::end(int request) {
  states_.at(request) = State::kEnded;
  waiting_[request] += '\n';
  show_waiting();
}

void Listener::end() {
  for (int request = 0; request < int(states_.size()); ++request) {
    if (states_[request] == State::kAwaited) states_[request] = State::kEnded;  // without a text
    if (states_[request] == State::kRunning) end(request);
  }
  show_waiting();
}

ShowToken Listener::show(int request) {
  return [this, request](int token, std::string_view text) {
    return token >= 0 ? tokens(request, {&token, 1}, text) : tokens(request, {}, text);
  };
}

void Listener::show_waiting() {
  for (; shown_ < int(states_.size()); ++shown_) {
    print(waiting_[shown_]);
    waiting_[shown_].clear();
    if (states_[shown_] != State::kEnded) break;
  }
}

void Listener::print(std::string_view text) {
  if (!out_ || text.empty()) return;
  std::fwrite(text.data(), 1, text.size(), out_);
  if (std::fflush(out_) != 0) throw InputError(std::string("cannot write the text: ") + std::strerror(errno));
}

}  // namespace waitless
