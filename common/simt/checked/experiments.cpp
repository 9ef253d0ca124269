#include "common/simt/checked/experiments.h"

#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace waitless::simt {
namespace {

struct Skipped {
  std::string file;
  int line = 0;
  std::uint64_t n = 0;
};

Skipped from_environment() {
  const char* const variable = std::getenv("WAITLESS_SIMT_SKIP_WAIT");
  if (variable == nullptr) return {};
  const std::string place = variable;
  const std::size_t colon = place.rfind(':');
  const int line = colon == std::string::npos ? 0 : std::atoi(place.c_str() + colon + 1);
  if (line <= 0) throw std::invalid_argument("WAITLESS_SIMT_SKIP_WAIT=" + place + ": expected file:line");
  return {place.substr(0, colon), line, 0};
}

Skipped& skipped() {
  static Skipped the_skipped = from_environment();
  return the_skipped;
}

}  // namespace

void skip_wait(const std::string& file, int line) { skipped() = {file, line, 0}; }

std::uint64_t n_skipped_waits() { return skipped().n; }

bool checked::is_skipped(const char* file, int line) {
  Skipped& wait = skipped();
  if (line != wait.line || wait.file != file) return false;
  ++wait.n;
  return true;
}

}  // namespace waitless::simt
