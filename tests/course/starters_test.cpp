#include "common/course/starters/starters.h"

#include <gtest/gtest.h>

#include "tests/course/fake_repository.h"

namespace waitless::course {
namespace {

namespace fs = std::filesystem;
using Messages = std::vector<std::string>;

Messages check(const FakeRepository& fake, bool edited_too = true) {
  return check_starters(fake.repository, {}, edited_too);
}

// Guards the generator of starters and the files that students edit.
TEST(Starters, AreWrittenAndRecorded) {
  const FakeRepository fake;
  EXPECT_EQ(write_starters(fake.repository, {}),
            (Messages{"wrote chapters/01_first/twice.cpp", "wrote chapters/01_first/twice.h"}));
  EXPECT_NE(fake.get("chapters/01_first/twice.cpp").find("not_implemented(\"1.1\");"), std::string::npos);
  EXPECT_EQ(fake.get("chapters/01_first/twice.h"), fake.get("solutions/01_first/twice.h"));
  EXPECT_EQ(fake.get("chapters/01_first/README.md"), "# First\n");
  EXPECT_EQ(check(fake), Messages{});
  EXPECT_EQ(write_starters(fake.repository, {}), Messages{});
}

TEST(Starters, AreRecordedInAFormThatSha256sumReads) {
  const FakeRepository fake;
  write_starters(fake.repository, {});
  const std::string command =
      "cd '" + fake.folder.path().string() + "' && sha256sum --status -c chapters/starters.sha256";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Starters, FollowTheirSolution) {
  FakeRepository fake;
  write_starters(fake.repository, {});
  fake.put("solutions/01_first/twice.h", "#pragma once\n");
  EXPECT_EQ(check(fake), Messages{"chapters/01_first/twice.h: out of date; run ./course starters"});
  EXPECT_EQ(write_starters(fake.repository, {}), Messages{"wrote chapters/01_first/twice.h"});
  EXPECT_EQ(check(fake), Messages{});
}

TEST(Starters, AreNeverWrittenOverEdits) {
  FakeRepository fake;
  write_starters(fake.repository, {});
  fake.put("chapters/01_first/twice.cpp", "my work\n");
  EXPECT_EQ(edited_chapters(fake.repository), Messages{"01_first"});
  fake.put("solutions/01_first/twice.cpp", "\n" + std::string(kFakeSolution));
  EXPECT_EQ(write_starters(fake.repository, {}), Messages{"left alone: chapters/01_first/twice.cpp has been edited"});
  EXPECT_EQ(fake.get("chapters/01_first/twice.cpp"), "my work\n");
  EXPECT_EQ(check(fake),
            Messages{"chapters/01_first/twice.cpp: edited by hand; it is generated from solutions/01_first/twice.cpp"});
  EXPECT_EQ(check(fake, false), Messages{});
}

TEST(Starters, CountAsEditedWithoutARecord) {
  FakeRepository fake;
  fake.put("chapters/01_first/twice.cpp", "my work\n");
  write_starters(fake.repository, {});
  EXPECT_EQ(fake.get("chapters/01_first/twice.cpp"), "my work\n");
}

TEST(Starters, WhoseSolutionIsGoneAreDeletedUnlessEdited) {
  FakeRepository fake;
  fake.put("solutions/01_first/old.h", "// old\n");
  fake.put("solutions/01_first/older.h", "// older\n");
  write_starters(fake.repository, {});
  fs::remove(fake.folder / "solutions/01_first/old.h");
  fs::remove(fake.folder / "solutions/01_first/older.h");
  fake.put("chapters/01_first/older.h", "my work\n");
  EXPECT_EQ(write_starters(fake.repository, {}),
            (Messages{"deleted chapters/01_first/old.h, which has no solution any more",
                      "left alone: chapters/01_first/older.h comes from no solution"}));
  EXPECT_TRUE(fs::exists(fake.folder / "chapters/01_first/older.h"));
  EXPECT_EQ(check(fake), Messages{"chapters/01_first/older.h: comes from no solution"});
}

TEST(Starters, OfOtherChaptersStayRecorded) {
  FakeRepository fake;
  fake.put("solutions/02_second/other.h", "// other\n");
  write_starters(fake.repository, {});
  fake.put("solutions/02_second/other.h", "// new\n");
  write_starters(fake.repository, "01_first");
  EXPECT_EQ(check(fake), Messages{"chapters/02_second/other.h: out of date; run ./course starters"});
}

TEST(StartersCheck, FindsWhatIsMissingOrStray) {
  FakeRepository fake;
  write_starters(fake.repository, {});
  fs::remove(fake.folder / "chapters/01_first/twice.h");
  fake.put("chapters/01_first/notes.md", "text is welcome\n");
  fake.put("chapters/01_first/stray.cu", "int a;\n");
  EXPECT_EQ(check(fake), (Messages{"chapters/01_first/twice.h: missing; run ./course starters",
                                   "chapters/01_first/stray.cu: comes from no solution"}));
}

TEST(StartersCheck, FindsAWrongRecord) {
  FakeRepository fake;
  write_starters(fake.repository, {});
  std::string record = fake.get("chapters/starters.sha256");
  record[0] = record[0] == '0' ? '1' : '0';
  fake.put("chapters/starters.sha256", record);
  EXPECT_EQ(check(fake),
            Messages{"chapters/starters.sha256: wrong for chapters/01_first/twice.cpp; run ./course starters"});
}

TEST(StartersCheck, FindsSolutionsThatLeak) {
  FakeRepository fake;
  const std::string given =
      "int given(int x) {\n  const int doubled_number_of_the_solution = 2 * x;\n  return "
      "doubled_number_of_the_solution;\n}\n";
  fake.put("solutions/01_first/twice.cpp", given + kFakeSolution);
  write_starters(fake.repository, {});
  EXPECT_EQ(check(fake), (Messages{"chapters/01_first/twice.cpp:2: shows line 12 of solutions/01_first/twice.cpp",
                                   "chapters/01_first/twice.cpp:3: shows line 13 of solutions/01_first/twice.cpp"}));
}

TEST(StartersCheck, FindsExercisesWithoutSolution) {
  FakeRepository fake;
  write_starters(fake.repository, {});
  std::string rubric = kFakeRubric;
  rubric.replace(rubric.find("\"id\": \"1.2\""), 11, "\"id\": \"1.3\"");
  fake.put("tests/01_first/rubric.json", rubric);
  EXPECT_EQ(error_of([&] { check(fake); }),
            "solutions/01_first/twice.cpp:15: exercise 1.2 is not in tests/01_first/rubric.json");
  fake.put("solutions/01_first/twice.cpp",
           std::string(kFakeSolution).substr(0, std::string(kFakeSolution).find("int four_times")));
  write_starters(fake.repository, {});
  EXPECT_EQ(check(fake), Messages{"solutions/01_first: no region solves exercise 1.3 of the rubric"});
}

TEST(StartersCheck, FindsExercisesInOtherFilesThanTheRubricSays) {
  FakeRepository fake;
  std::string rubric = kFakeRubric;
  rubric.replace(rubric.find("\"file\": \"twice.cpp\""), 19, "\"files\": [\"twice.cpp\", \"thrice.cpp\"]");
  fake.put("tests/01_first/rubric.json", rubric);
  write_starters(fake.repository, {});
  EXPECT_EQ(check(fake), Messages{"tests/01_first/rubric.json: exercise 1.1 lists twice.cpp, thrice.cpp; its regions "
                                  "stand in twice.cpp"});
}

}  // namespace
}  // namespace waitless::course
