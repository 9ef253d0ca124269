#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/error.h"

namespace waitless {

/// For EXPECT_TRUE: whether `action` throws an Exception with a message of one line that contains all parts.
template <class Exception, class Action>
testing::AssertionResult refuses_with(const Action& action, const std::vector<std::string>& parts) {
  try {
    action();
  } catch (const Exception& error) {
    const std::string message = error.what();
    if (message.find('\n') != message.npos) return testing::AssertionFailure() << "several lines: " << message;
    for (const std::string& part : parts) {
      if (message.find(part) == message.npos) {
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
