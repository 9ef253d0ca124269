#include "common/run/interrupt.h"

#include <atomic>
#include <csignal>

namespace waitless {
namespace {

std::atomic<bool> interrupted{false};

}  // namespace

CatchInterrupt::CatchInterrupt() {
  interrupted = false;
  std::signal(SIGINT, [](int signal) {
    interrupted = true;
    std::signal(signal, SIG_DFL);
  });
}

CatchInterrupt::~CatchInterrupt() {
  std::signal(SIGINT, SIG_DFL);
  interrupted = false;
}

bool is_interrupted() { return interrupted; }

}  // namespace waitless
