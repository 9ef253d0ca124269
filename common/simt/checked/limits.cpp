#include "common/simt/checked/limits.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace waitless::simt {
namespace {

/// @throws std::invalid_argument unless the variable is unset or a positive number
double positive_number(const char* variable, double otherwise) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return otherwise;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(value > 0) || value > 1e18) {
    throw std::invalid_argument(std::string(variable) + "=" + text + ": expected a number greater than 0");
  }
  return value;
}

Limits& stored() {
  static Limits limits{static_cast<std::uint64_t>(positive_number("WAITLESS_SIMT_MAX_ACCESSES", 1e9)),
                       positive_number("WAITLESS_SIMT_MAX_SECONDS", 10)};
  return limits;
}

}  // namespace

const Limits& limits() { return stored(); }

void set_limits(const Limits& limits) { stored() = limits; }

}  // namespace waitless::simt
