#include "common/simt/settings.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "common/base/processors.h"

namespace waitless::simt {
namespace {

constexpr int kMaxWorkers = 256;
constexpr int kMaxDefaultWorkers = 16;

[[noreturn]] void reject(const std::string& variable, const std::string& value, const std::string& expected) {
  throw std::invalid_argument(variable + "=" + value + ": expected " + expected);
}

/// @throws std::invalid_argument unless text is a number and no more
std::uint64_t number(const std::string& variable, const std::string& text, const std::string& expected) {
  if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos) {
    reject(variable, text, expected);
  }
  return std::stoull(text);
}

Settings from_environment() {
  Settings settings{std::min(usable_processors(), kMaxDefaultWorkers), ThreadOrder::kForward, 1};
  if (const char* workers = std::getenv("WAITLESS_SIMT_WORKERS")) {
    const std::string expected = "a number from 1 to 256";
    const std::uint64_t n = number("WAITLESS_SIMT_WORKERS", workers, expected);
    if (n < 1 || n > kMaxWorkers) reject("WAITLESS_SIMT_WORKERS", workers, expected);
    settings.n_workers = static_cast<int>(n);
  }
  if (const char* variable = std::getenv("WAITLESS_SIMT_ORDER")) {
    const std::string order = variable;
    if (order == "forward") {
      settings.order = ThreadOrder::kForward;
    } else if (order == "reverse") {
      settings.order = ThreadOrder::kReverse;
    } else if (order == "random") {
      settings.order = ThreadOrder::kRandom;
    } else if (order.starts_with("random:")) {
      settings.order = ThreadOrder::kRandom;
      settings.seed = number("WAITLESS_SIMT_ORDER", order.substr(7), "a number after random:");
    } else {
      reject("WAITLESS_SIMT_ORDER", order, "forward, reverse, random or random:SEED");
    }
  }
  return settings;
}

Settings& stored() {
  static Settings settings = from_environment();
  return settings;
}

}  // namespace

const Settings& settings() { return stored(); }

void set_settings(const Settings& settings) {
  if (settings.n_workers < 1 || settings.n_workers > kMaxWorkers) {
    throw std::invalid_argument("simt: n_workers is " + std::to_string(settings.n_workers) + ", expected 1 to 256");
  }
  stored() = settings;
}

}  // namespace waitless::simt
