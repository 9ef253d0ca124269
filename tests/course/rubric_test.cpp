#include "common/course/grading/rubric.h"

#include <gtest/gtest.h>

#include "common/course/grading/score.h"
#include "tests/course/fake_repository.h"

namespace waitless::course {
namespace {

std::string exercise(const std::string& id, const std::string& more) {
  return R"({"id": ")" + id + R"(", "title": "t", "file": "f.cpp", "function": "f", "track": "cpu", )" + more + "}";
}
std::string refusal_of(const std::string& exercises) {
  return error_of([&] { parse_rubric(R"({"chapter": "01_first", "exercises": [)" + exercises + "]}", "r.json"); });
}
const std::string kGood = R"("points": 1, "tests": {"basic": ["A.B"]})";

// Guards what decides over points.
TEST(Rubric, KeepsExercisesGroupsAndTestsInOrder) {
  const Rubric rubric = parse_rubric(kFakeRubric, "r.json");
  EXPECT_EQ(rubric.chapter, "01_first");
  ASSERT_EQ(rubric.exercises.size(), 2u);
  EXPECT_EQ(rubric.exercises[0].id, "1.1");
  EXPECT_EQ(rubric.exercises[0].groups[0].name, "basic");
  EXPECT_EQ(rubric.exercises[0].groups[1].name, "edge");
  EXPECT_EQ(rubric.tests(),
            (std::vector<std::string>{"Twice.DoublesTheNumber", "Twice.KeepsZero", "FourTimes.DoublesTwice"}));
  EXPECT_EQ(rubric.points(), 15);
}

TEST(Rubric, FollowsNeedsThroughOtherExercises) {
  const Rubric rubric = parse_rubric(R"({"chapter": "c", "exercises": [)" + exercise("1.1", kGood) + "," +
                                         exercise("1.2", kGood + R"(, "needs": ["1.1"])") + "," +
                                         exercise("1.3", kGood + R"(, "needs": ["1.2"])") + "]}",
                                     "r.json");
  EXPECT_TRUE(rubric.depends("1.3", "1.1"));
  EXPECT_TRUE(rubric.depends("1.2", "1.1"));
  EXPECT_FALSE(rubric.depends("1.1", "1.3"));
}

TEST(Rubric, NamesWhatIsWrongInOneSentence) {
  EXPECT_EQ(refusal_of(exercise("1.1", R"("tests": {"basic": ["A.B"]})")),
            "r.json: exercise 1.1 has no points, a number of at least 0");
  EXPECT_EQ(refusal_of(exercise("1.1", R"("points": -3, "tests": {"basic": ["A.B"]})")),
            "r.json: exercise 1.1 has no points, a number of at least 0");
  EXPECT_EQ(refusal_of(exercise("1.1", R"("points": 3)")), "r.json: exercise 1.1 has no tests");
  EXPECT_EQ(refusal_of(exercise("1.1", R"("points": 3, "tests": {"basic": []})")), "r.json: exercise 1.1 has no tests");
  EXPECT_EQ(refusal_of(exercise("1.1", R"("points": 3, "tests": {"basic": [7]})")),
            "r.json: exercise 1.1 has something in basic that is not a text");
  EXPECT_EQ(refusal_of(exercise("1.1", kGood) + "," + exercise("1.1", kGood)), "r.json: exercise 1.1 is listed twice");
  EXPECT_EQ(refusal_of(exercise("1.1", kGood + R"(, "needs": ["1.9"])")),
            "r.json: exercise 1.1 needs 1.9, which is not in the rubric");
  EXPECT_EQ(refusal_of(exercise("1.1", kGood + R"(, "needs": ["1.1"])")), "r.json: exercise 1.1 needs itself");
  EXPECT_EQ(refusal_of(exercise("1.1", kGood + R"(, "files": ["g.cpp"])")),
            "r.json: exercise 1.1 has both file and files");
  EXPECT_EQ(refusal_of(R"({"id": "1.1", "title": "t", "files": []})"), "r.json: exercise 1.1 has no files");
  EXPECT_EQ(refusal_of(exercise("1.1", kGood + R"(, "optional": 1)")),
            "r.json: exercise 1.1 has optional that is neither true nor false");
  EXPECT_EQ(refusal_of("7"), "r.json: exercise is not an object");
  EXPECT_EQ(error_of([] { parse_rubric("[]", "r.json"); }), "r.json: names no chapter");
  EXPECT_EQ(error_of([] { parse_rubric("{", "r.json"); }).substr(0, 25), "r.json is not valid JSON:");
}

TEST(Rubric, TakesOneFileOrSeveral) {
  const Rubric rubric = parse_rubric(R"({"chapter": "c", "exercises": [)" + exercise("1.1", kGood) + R"(,
    {"id": "1.2", "title": "t", "files": ["a.cpp", "b.cu"], "functions": ["f", "g"], "track": "mpi", "optional": true, )" +
                                         kGood + "}]}",
                                     "r.json");
  EXPECT_EQ(rubric.exercises[0].files, std::vector<std::string>{"f.cpp"});
  EXPECT_FALSE(rubric.exercises[0].is_optional);
  EXPECT_EQ(rubric.exercises[1].files, (std::vector<std::string>{"a.cpp", "b.cu"}));
  EXPECT_EQ(rubric.exercises[1].functions, (std::vector<std::string>{"f", "g"}));
  EXPECT_EQ(rubric.exercises[1].track, "mpi");
  EXPECT_TRUE(rubric.exercises[1].is_optional);
}

TEST(Rubric, SendsNobodyToAnOptionalExercise) {
  const Rubric rubric =
      parse_rubric(R"({"chapter": "c", "exercises": [)" + exercise("1.1", kGood) + "," +
                       exercise("1.2", kGood + R"(, "optional": true)") + "," + exercise("1.3", kGood) + "]}",
                   "r.json");
  EXPECT_EQ(next_exercise(rubric, {.earned_exercises = {"1.1"}})->id, "1.3");
  EXPECT_EQ(next_exercise(rubric, {.earned_exercises = {"1.1", "1.3"}}), nullptr);
}

TEST(Rubric, IsFoundByTheIdOfAnExercise) {
  const FakeRepository fake;
  EXPECT_EQ(find_exercise(fake.repository, "1.2").exercise.title, "four times");
  EXPECT_EQ(error_of([&] { find_exercise(fake.repository, "1.12"); }),
            "there is no exercise '1.12'; the nearest is 1.1");
}

TEST(Repository, TakesAChapterByNumberOrName) {
  FakeRepository fake;
  fake.put("solutions/12_serving/a.h", "");
  for (const char* name : {"1", "01", "first", "01_first"}) EXPECT_EQ(fake.repository.chapter(name), "01_first");
  EXPECT_EQ(fake.repository.chapter("12"), "12_serving");
  EXPECT_EQ(error_of([&] { fake.repository.chapter("13"); }), "there is no chapter '13'; the nearest is 12_serving");
  EXPECT_EQ(error_of([&] { fake.repository.chapter("02_firs"); }),
            "there is no chapter '02_firs'; the nearest is 01_first");
}

TEST(Text, FindsTheNearestWord) {
  EXPECT_EQ(nearest("tset", {"list", "test", "reset"}), "test");
  EXPECT_EQ(unknown("command", "hnt", {"run", "hint"}), "there is no command 'hnt'; the nearest is hint");
  EXPECT_EQ(unknown("command", "hnt", {}), "there is no command 'hnt'");
}

}  // namespace
}  // namespace waitless::course
