// Guards verbs/chapter_verbs: commands that chapters declare.
#include "common/course/verbs/chapter_verbs.h"

#include <gtest/gtest.h>

#include "fake_repository.h"

namespace waitless::course {
namespace {

// Guards commands that chapters bring.
TEST(ChapterVerbs, AreThoseThatChaptersDeclare) {
  FakeRepository fake;
  EXPECT_TRUE(chapter_verbs(fake.repository).empty());
  fake.put("tests/01_first/verbs.csv", "verb,summary\nsing,\"high, or low\"\nhum,low\n");
  const std::vector<ChapterVerb> verbs = chapter_verbs(fake.repository);
  ASSERT_EQ(verbs.size(), 2u);
  EXPECT_EQ(verbs[0].name, "sing");
  EXPECT_EQ(verbs[0].summary, "high, or low");
  EXPECT_EQ(verbs[0].chapter, "01_first");
  EXPECT_EQ(verbs[1].name, "hum");
}

// Guards commands that chapters bring.
TEST(ChapterVerbs, BelongToOneChapter) {
  FakeRepository fake;
  fake.put("solutions/02_second/x.h", "");
  fake.put("tests/01_first/verbs.csv", "verb,summary\nsing,high\n");
  fake.put("tests/02_second/verbs.csv", "verb,summary\nsing,low\n");
  EXPECT_EQ(error_of([&] { chapter_verbs(fake.repository); }),
            "chapters 01_first and 02_second both bring the verb sing");
}

}  // namespace
}  // namespace waitless::course
