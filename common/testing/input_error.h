#pragma once

#include <gtest/gtest.h>

#include <string>

#include "common/error.h"

namespace waitless {

/// For EXPECT_TRUE: whether `action` throws an InputError with a message of one line that contains `part`.
template <class Action>
testing::AssertionResult refuses(const Action& action, const std::string& part) {
  try {
    action();
  } catch (const InputError& error) {
    const std::string message = error.what();
    if (message.find('\n') != message.npos) return testing::AssertionFailure() << "several lines: " << message;
    if (message.find(part) != message.npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "the message lacks \"" << part << "\": " << message;
  } catch (const std::exception& error) {
    return testing::AssertionFailure() << "another kind of exception: " << error.what();
  }
  return testing::AssertionFailure() << "no error; expected one about \"" << part << "\"";
}

}  // namespace waitless
