#include "common/testing/mistakes.h"

#include <gtest/gtest.h>

#include <limits>

#include "common/testing/guarded.h"

namespace waitless {
namespace {

const Matrix kExpected{{1, 2, 3}, {4, 5, 6}};

std::string message_of(const Matrix& got, const std::vector<Mistake>& mistakes = {}) {
  return matches(kExpected, got, 1e-6, mistakes).message();
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

// Guards the messages of failing tests.
TEST(Matches, SaysWhereTheWrongElementsLie) {
  // Oracle: by hand.
  Matrix got = kExpected;
  EXPECT_TRUE(matches(kExpected, got, 0));
  got(1, 1) = 5.5f, got(1, 2) = 7;
  const std::string message = message_of(got);
  EXPECT_TRUE(contains(message, "2 of 6 elements are wrong, in row 1 of 2 and columns 1 .. 2 of 3.")) << message;
  EXPECT_TRUE(contains(message, "[1, 1]: expected 5, got 5.5, error 0.1")) << message;
  EXPECT_TRUE(contains(message_of(Matrix(2, 2)), "got shape [2, 2], expected [2, 3]"));
}

// Guards the messages of failing tests.
TEST(Matches, NamesAMistakeOnlyIfTheNumbersAreItsOwn) {
  // Oracle: by hand.
  const std::vector<Mistake> mistakes = {{"all are doubled", kExpected.cast<double>() * 2},
                                         {"all are roughly right", kExpected.cast<double>(), 0.5}};
  EXPECT_TRUE(contains(message_of(kExpected * 2, mistakes), "come out if all are doubled."));
  Matrix one_wrong = kExpected;
  one_wrong(0, 0) = 1.1f;
  EXPECT_TRUE(contains(message_of(one_wrong, mistakes), "come out if all are roughly right."));
  one_wrong(0, 0) = 100;
  EXPECT_FALSE(contains(message_of(one_wrong, mistakes), "come out"));
}

// Guards the messages of failing tests.
TEST(Matches, NamesWhatWasNotWrittenAndNan) {
  // Oracle: by hand. NaN is near nothing.
  Matrix got = kExpected;
  got(0, 1) = Guarded::kUnwritten;
  EXPECT_TRUE(contains(message_of(got), "1 of them still hold the 99 from before the call"));
  got(0, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(matches(kExpected, got, 1e9));
  EXPECT_TRUE(contains(message_of(got), "1 of them are NaN"));
  EXPECT_FALSE(matches(got, kExpected, 1e9)) << "an expected NaN is near nothing either";
}

}  // namespace
}  // namespace waitless
