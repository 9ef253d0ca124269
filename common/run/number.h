#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>

namespace waitless {

/// A check of an option's number that says in words what it must be: "must be above 0, not -3".
inline CLI::Validator number(const std::string& wanted, const std::function<bool(double)>& is_right) {
  const auto check = [=](const std::string& text) -> std::string {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool is_number = end != text.c_str() && *end == '\0';
    return is_number && is_right(value) ? "" : "must be " + wanted + ", not " + text;
  };
  return CLI::Validator(check, "NUMBER");
}

/// A check for a whole number in this range, both ends included.
inline CLI::Validator whole_number(std::int64_t from, std::int64_t to = 1'000'000'000) {
  return number("a whole number from " + std::to_string(from) + " to " + std::to_string(to),
                [=](double x) { return x == std::floor(x) && x >= double(from) && x <= double(to); });
}

}  // namespace waitless
