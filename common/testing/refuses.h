#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/base/error.h"

namespace waitless {

/// Whether the message contains the part; a number not only as a piece of another number.
inline bool mentions(const std::string& message, const std::string& part) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = message.find(part); at != message.npos; at = message.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    const bool goes_on_before = at > 0 && is_digit(message[at - 1]) && is_digit(part.front());
    const bool goes_on_behind = end < message.size() && is_digit(message[end]) && is_digit(part.back());
    if (!goes_on_before && !goes_on_behind) return true;
  }
  return false;
}

/// For EXPECT_TRUE: whether `action` throws an Exception with a message of one line that mentions all parts.
template <class Exception, class Action>
testing::AssertionResult refuses_with(const Action& action, const std::vector<std::string>& parts) {
  try {
    action();
  } catch (const Exception& error) {
    const std::string message = error.what();
    if (message.find('\n') != message.npos) return testing::AssertionFailure() << "several lines: " << message;
    for (const std::string& part : parts) {
      if (!mentions(message, part)) {
        return testing::AssertionFailure() << "the message lacks \"" << part << "\": " << message;
      }
    }
    return testing::AssertionSuccess();
  } catch (const std::exception& error) {
    return testing::AssertionFailure() << "another kind of exception: " << error.what();
  }
  return testing::AssertionFailure() << "nothing was thrown";
}

/// The same for bad input.
template <class Action>
testing::AssertionResult refuses(const Action& action, const std::string& part) {
  return refuses_with<InputError>(action, {part});
}

}  // namespace waitless
