#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace waitless {

/// Whether `action` throws an Exception whose message contains all parts.
template <class Exception, class Action>
testing::AssertionResult refuses_with(const Action& action, const std::vector<std::string>& parts) {
  try {
    action();
  } catch (const Exception& error) {
    for (const std::string& part : parts) {
      if (std::string(error.what()).find(part) == std::string::npos) {
        return testing::AssertionFailure() << "the message lacks \"" << part << "\": " << error.what();
      }
    }
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "nothing was thrown";
}

}  // namespace waitless
