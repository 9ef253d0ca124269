#include <gtest/gtest.h>

#include "common/course/verbs/verbs.h"
#include "common/course/verbs/hints.h"
#include "tests/course/fake_repository.h"

namespace waitless::course {
namespace {

const char* const kHints =
    "# Hints\n\n## 1.1 twice\n\nfor authors\n\n### Level 1\n\nAdd it.\n\n### Level 2\nTo itself.\n\n## 1.2 four "
    "times\n### Level 1\nTwice.\n";

std::string shown(const FakeRepository& fake, const std::string& id, int level = 0, bool reset = false) {
  testing::internal::CaptureStdout();
  const std::string error = error_of([&] { hint_command(fake.repository, id, level, reset); });
  return testing::internal::GetCapturedStdout() + error;
}

// Guards the hints, of which a student wants to see one at a time.
TEST(Hints, AreReadByExerciseAndLevel) {
  const Hints hints = parse_hints(kHints, "hints.md");
  EXPECT_EQ(hints.at("1.1").at(1), "Add it.\n");
  EXPECT_EQ(hints.at("1.1").at(2), "To itself.\n");
  EXPECT_EQ(hints.at("1.2").size(), 1u);
}

TEST(Hints, InTheWrongOrderAreRefused) {
  EXPECT_EQ(error_of([] { parse_hints("### Level 1\n", "h.md"); }),
            "h.md:1: a hint without a heading '## 1.5 title' above it");
  EXPECT_EQ(error_of([] { parse_hints("## 1.1 a\n### Level 2\n", "h.md"); }),
            "h.md:2: hints of exercise 1.1 are not numbered 1, 2, 3");
  EXPECT_EQ(error_of([] { parse_hints("## 1.1 a\n## 1.1 b\n", "h.md"); }), "h.md:2: exercise 1.1 has hints already");
}

TEST(Hints, ComeOneMoreEachTime) {
  FakeRepository fake;
  fake.put("chapters/01_first/hints.md", kHints);
  EXPECT_EQ(shown(fake, "1.1"), "1.1 twice, hint 1 of 2\n\nAdd it.\n");
  EXPECT_NE(shown(fake, "1.1").find("hint 2 of 2\n\nTo itself.\n"), std::string::npos);
  EXPECT_NE(shown(fake, "1.1").find("hint 2 of 2\n\nTo itself.\n"), std::string::npos);
  EXPECT_NE(shown(fake, "1.2").find("hint 1 of 1"), std::string::npos);
}

TEST(Hints, CanBeShownAgainAndForgotten) {
  FakeRepository fake;
  fake.put("chapters/01_first/hints.md", kHints);
  shown(fake, "1.1");
  shown(fake, "1.1");
  EXPECT_EQ(shown(fake, "1.1", 1), "1.1 twice, hint 1 of 2\n\nAdd it.\n");
  EXPECT_NE(shown(fake, "1.1").find("hint 2 of 2"), std::string::npos);
  shown(fake, "1.1", 0, true);
  EXPECT_NE(shown(fake, "1.1").find("hint 1 of 2"), std::string::npos);
  EXPECT_EQ(shown(fake, "1.1", 3), "exercise 1.1 has 2 hints");
}

TEST(Hints, SurviveABrokenMemory) {
  FakeRepository fake;
  fake.put("chapters/01_first/hints.md", kHints);
  fake.put("build/course/hints.json", "{\"1.1\": ");
  EXPECT_NE(shown(fake, "1.1").find("hint 1 of 2"), std::string::npos);
}

}  // namespace
}  // namespace waitless::course
